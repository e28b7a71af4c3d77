import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { howToSee } from '#/core/audit/how-to-see.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { absent, forbidden } from './blindness-sources.ts'
import { auditFiles, readFleetFiles } from './fleet-files.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'
import type { KnownFleet } from './known-fleets.ts'

/** Fleets in every state, also broken ones: test/fleets/blindness.test.ts has a healthy one. */
const SOME = sampled(
  KNOWN_FLEETS.filter(({ folder }) => folder === 'fresh-2'),
  8,
)

type Asked = { readonly files: Files; readonly audit: Audit; readonly source: string; readonly runner: string | null }

async function whenForbidden({ files, audit, source, runner }: Asked): Promise<readonly string[]> {
  const { exitCode, reports } = await auditFiles(forbidden(files, source), [audit], { runner })
  const reported = reports.flatMap(({ findings }) => findings.filter(isBlindFinding)).map(({ subject }) => subject.name)
  // Of which nodes a source is missing is not known without their list, which is reported then.
  const unread = reports.flatMap(({ sources }) => sources.filter(({ ok }) => !ok).map(({ name }) => name))
  const named = reported.includes('kubernetes/nodes') ? [...reported, ...unread] : reported
  return [
    ...(exitCode === 0 ? ['exits with 0'] : []),
    ...(named.some((name) => name.startsWith(source)) ? [] : ['is not named']),
  ].map((what) => `${audit.id} without ${source} (403) ${what}`)
}

async function whenAbsent({ files, audit, source, runner }: Asked): Promise<readonly string[]> {
  const { exitCode, reports } = await auditFiles(absent(files, source), [audit], { runner })
  const { sections } = renderAudit({ reports, leftOut: [], lanes: null })
  const rows = sections.find(({ title }) => title === 'Not looked at')?.table?.rows ?? []
  const row = rows.find(([name]) => name === source)
  const isNeeded = audit.reads.some((use) => use.source === source && use.weight === 'needed')
  return [
    ...(isNeeded && exitCode === 0 ? ['exits with 0'] : []),
    ...(row?.[3] === howToSee(source) ? [] : ['is not named with what would change that']),
    ...(sections.some(({ text }) => text?.includes('No findings: ') === true) ? ['reads as an all-clear'] : []),
  ].map((what) => `${audit.id} without ${source} (never asked for) ${what}`)
}

async function judge({ path, expected }: KnownFleet): Promise<readonly string[]> {
  const files = await readFleetFiles(path)
  const runner = expected.find((one) => one.runner !== undefined)?.runner ?? null
  const wrong: string[] = []
  for (const audit of AUDITS) {
    const sources = audit.reads.map(({ source }) => source).filter((source) => source !== 'probe')
    for (const source of sources) {
      const asked = { files, audit, source, runner: audit.id === 'network' ? (runner ?? 'some-runner') : null }
      wrong.push(...(await whenForbidden(asked)), ...(await whenAbsent(asked)))
    }
  }
  return wrong
}

describe('each source missing in turn', { timeout: 120_000 }, () => {
  it.each(SOME.map((fleet) => [fleet.name, fleet] as const))(
    'never makes an audit of %s read as an all-clear, and is named with what would change that',
    async (_name, fleet) => {
      expect(await judge(fleet)).toEqual([])
    },
  )
})
