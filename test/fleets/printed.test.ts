import { describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { AUDITS } from '#/audits/index.ts'
import { examine } from '#/cli/audit/examine.ts'
import { renderAudit } from '#/cli/audit/render-audit.ts'
import { markdownText } from '#/cli/output/table.ts'
import { printable } from '#/cli/output/printable.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

const SOME = sampled(KNOWN_FLEETS, 3)

async function readKnown(path: string): Promise<Fleet> {
  const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  await using bundle = opening.bundle
  return readFleet(await readSnapshot(bundle, AUDITS, readFleetDocument))
}

const ASKABLE = AUDITS.filter(({ id }) => id !== 'network')
const LONGEST = 2_000

describe('what is printed about a known fleet', () => {
  it.each(SOME.map((fleet) => [`${fleet.folder}/${fleet.name}`, fleet.path] as const))(
    'has advice that redaction leaves alone, and in Markdown all evidence: %s',
    async (_name, path) => {
      const answer = examine(await readKnown(path), { audits: ASKABLE, areNamed: true, question: WHOLE_FLEET })
      const findings = answer.reports.flatMap((report) => report.findings)
      expect(findings.map(({ hint }) => hint).filter((hint) => hint === '' || redact(hint) !== hint)).toEqual([])
      const markdown = renderAudit(answer)
        .sections.map(({ markdown: one = '' }) => (typeof one === 'string' ? one : one()))
        .join('\n')
      const lines = findings.flatMap(({ evidence }) => evidence.map((line) => redact(line)))
      const missing = lines.filter(
        (line) => line.length <= LONGEST && !markdown.includes(markdownText(printable(line.trim()))),
      )
      expect(missing).toEqual([])
    },
  )

  it.each(SOME.map((fleet) => [`${fleet.folder}/${fleet.name}`, fleet.path] as const))(
    'about one lane has no line about another: %s',
    async (_name, path) => {
      const fleet = await readKnown(path)
      const [lane, ...others] = fleet.lanes
      if (lane === undefined || others.length === 0) return
      const question = { ...WHOLE_FLEET, labels: [lane.label] }
      const { reports, lanes } = examine(fleet, { audits: ASKABLE, areNamed: true, question })
      const foreign = others
        .flatMap(({ sets }) => sets)
        .filter((set) => !lane.sets.includes(set))
        .map(({ namespace, name }) => `AutoscalingRunnerSet ${namespace}/${name}`)
      const subjects = reports.flatMap(({ id, findings }) =>
        findings.map(({ class: name, subject }) => ({
          what: `${id} ${name}`,
          subject: `${subject.kind} ${subject.namespace}/${subject.name}`,
          label: subject.kind === 'Lane' ? subject.name : null,
        })),
      )
      expect(lanes?.map(({ label }) => label)).toEqual([lane.label])
      expect(subjects.filter(({ subject }) => foreign.includes(subject))).toEqual([])
      expect(subjects.filter(({ label }) => label !== null && label !== lane.label)).toEqual([])
    },
  )
})
