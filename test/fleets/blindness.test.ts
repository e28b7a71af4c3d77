import { beforeAll, describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import { howToSee } from '#/core/audit/how-to-see.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { readRows, wholeFleet } from './blindness-fleet.ts'
import { absent, emptied, listFiles, forbidden, paged, truncated } from './blindness-sources.ts'
import { auditFiles } from './fleet-files.ts'
import type { Printed } from './fleet-files.ts'

/** The fleet file affects every audit through its thresholds. */
const PAIRS = AUDITS.flatMap((audit) => {
  const sources = [...new Set([...audit.reads.map(({ source }) => source), 'fleet'])].filter(isInBundle)
  return sources.map((source) => [audit.id, source, audit] as const)
})

/** Probes run only live. */
function isInBundle(source: string): boolean {
  return source !== 'probe'
}

/** If another source proves that a list cannot be empty, it is a partial read. */
const NEVER_EMPTY = new Set(['pods', 'nodes', 'namespaces', 'ephemeralrunnersets', 'autoscalingrunnersets'])

describe('a source that is blind', () => {
  let whole: Files
  let asked: Partial<Question>
  beforeAll(async () => {
    whole = await wholeFleet()
    asked = {
      runner: readRows(whole, 'ephemeralrunners').flatMap((row) => textAt(row, 'metadata', 'name') ?? [])[0] ?? null,
    }
  })
  const answer = (files: Files, audit: Audit): Promise<Printed> =>
    auditFiles(files, [audit], audit.id === 'network' ? asked : {})

  it.each(AUDITS.map((audit) => [audit.id, audit] as const))(
    'of none: %s ends with 0 on the unchanged fleet',
    async (_id, audit) => {
      const { exitCode, reports } = await answer(whole, audit)
      const reported = reports.flatMap(({ findings }) => findings.filter(({ severity }) => severity !== 'info'))
      expect({ exitCode, reported: reported.map((one) => `${one.class} on ${one.subject.name}`) }).toEqual({
        exitCode: 0,
        reported: [],
      })
    },
  )

  it.each(PAIRS)(
    'of %s, %s, gives different answers when forbidden, empty and truncated, and never looks healthy',
    async (_id, source, audit) => {
      expect(listFiles(whole, source)).not.toEqual([])
      const healthy = await answer(whole, audit)
      const refused = await answer(forbidden(whole, source), audit)
      const empty = await answer(emptied(whole, source), audit)
      const cut = await answer(truncated(whole, source), audit)
      const texts = [healthy, refused, empty, cut].map(({ text }) => text)
      expect(sameAs(texts)).toEqual([])
      for (const [name, printed] of [
        ['forbidden', refused],
        ['cut', cut],
      ] as const) {
        expect({ name, exitCode: printed.exitCode }).not.toEqual({ name, exitCode: 0 })
        expect(newFindings(printed, healthy), `${name}: ${printed.text}`).not.toEqual([])
      }
      const reported = refused.reports.flatMap(({ findings }) => findings.filter(isBlindFinding))
      expect(reported.map(({ subject }) => subject.name).some((name) => name.startsWith(source))).toBe(true)
    },
  )

  it.each(PAIRS.filter(([, source, audit]) => audit.reads.some((use) => use.source === source)))(
    'of %s, %s, is named with what would change that when it was never requested, and no answer is a bare "No findings"',
    async (_id, source, audit) => {
      const { exitCode, reports } = await answer(absent(whole, source), audit)
      const use = audit.reads.find((one) => one.source === source)
      if (use?.weight === 'needed') expect(exitCode).not.toBe(0)
      const { sections } = renderAudit({ reports, leftOut: [], lanes: null })
      const text = sections.map((section) => `${section.title ?? ''} ${section.text ?? ''}`).join('\n')
      expect(text).not.toContain('No findings: ')
      const rows = sections.find(({ title }) => title === 'Not looked at')?.table?.rows ?? []
      const row = rows.find(([name]) => name === source)
      expect(row).toEqual([source, expect.stringContaining(audit.id), expect.any(String), howToSee(source)])
    },
  )

  it.each(PAIRS.filter(([, source]) => paged(new Map(), source) !== null))(
    'of %s, %s, is blind if its total is above its rows',
    async (_id, source, audit) => {
      const partial = await answer(paged(whole, source) ?? whole, audit)
      expect(partial.exitCode).not.toBe(0)
      expect(
        partial.reports.flatMap(({ findings }) => findings.filter(isBlindFinding)).map(({ subject }) => subject.name),
      ).toContain(source)
      expect(partial.text).toContain('truncated: ')
    },
  )

  it.each(PAIRS.filter(([, source]) => NEVER_EMPTY.has(source.replace('kubernetes/', ''))))(
    'of %s, %s, is blind if it is empty and another list contradicts it',
    async (_id, source, audit) => {
      // The proof must be read too: an audit that reads only this list has none.
      const printed = await answer(emptied(whole, source), audit)
      const isProven = audit.reads.some(
        (use) => PROOF[source.replace('kubernetes/', '')]?.includes(use.source) === true,
      )
      const isReported = printed.text.includes('truncated: the list is empty')
      expect({ isReported, isHealthy: isReported && printed.exitCode === 0 }).toEqual({
        isReported: isProven,
        isHealthy: false,
      })
    },
  )
})

const PROOF: Readonly<Record<string, readonly string[]>> = {
  nodes: ['kubernetes/pods'],
  namespaces: ['kubernetes/pods'],
  pods: ['kubernetes/deployments', 'kubernetes/daemonsets'],
  autoscalingrunnersets: ['kubernetes/ephemeralrunnersets', 'kubernetes/autoscalinglisteners', 'kubernetes/pods'],
  ephemeralrunnersets: ['kubernetes/ephemeralrunners'],
}

/** Which of the answers are equal. */
function sameAs(texts: readonly string[]): readonly string[] {
  const names = ['healthy', 'forbidden', 'empty', 'cut']
  return texts.flatMap((text, index) =>
    texts.slice(0, index).flatMap((other, before) => (other === text ? [`${names[before]} = ${names[index]}`] : [])),
  )
}

function newFindings(printed: Printed, healthy: Printed): readonly string[] {
  const reported = ({ reports }: Printed) =>
    reports.flatMap(({ findings }) =>
      findings.map((one) => `${one.class} ${one.severity} ${one.subject.kind} ${one.subject.name}`),
    )
  const before = new Set(reported(healthy))
  return reported(printed).filter((finding) => !before.has(finding))
}
