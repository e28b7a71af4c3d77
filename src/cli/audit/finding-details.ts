import { keepEnds } from '#/core/basics/keep-ends.ts'
import type { Finding, GateAnswer, Holder } from '#/core/audit/finding.ts'
import { listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { printable } from '#/cli/output/printable.ts'
import { redact } from '#/adapters/redaction/redact.ts'

/** How much of a finding is shown. */
export type Detail = { readonly lines: number; readonly characters: number; readonly holders: number }
export const BRIEF: Detail = { lines: 6, characters: 300, holders: 5 }
export const FULL: Detail = { lines: Infinity, characters: 2_000, holders: Infinity }

/** Cut after redaction: half a secret would not be recognised as one. */
export function redactAndClip(text: string, longest = FULL.characters): string {
  return keepEnds(redact(text), longest)
}

export function printed(text: string, { characters }: Detail): string {
  return printable(redactAndClip(text, characters))
}

/** The evidence, and who holds or uses what it is about. Holders that are in `shown` are left out: classes of one lane share them. */
export function describeFinding(finding: Finding, detail: Detail, shown = new Set<string>()): readonly string[] {
  const holders = JSON.stringify(listAt(finding.fields, 'holders'))
  const isShown = shown.has(holders)
  shown.add(holders)
  return [
    ...limited(
      finding.evidence.map((line) => printed(line, detail)),
      detail.lines,
    ),
    ...(isShown ? [] : holderLines(finding, detail)),
    ...consumerLines(finding, detail),
    ...gateLines(finding.gates ?? [], detail),
  ]
}

function limited(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), `and ${lines.length - most + 1} more (-v)`]
}

/** `owner/name/.github/workflows/e2e.yml@refs/heads/main` */
const WORKFLOW_PATH = /^.*\/\.github\/workflows\/([^@/]+)@.*$/

function holderLines({ fields }: Finding, detail: Detail): readonly string[] {
  const holders = listAt(fields, 'holders') as readonly Partial<Holder>[]
  return limited(
    holders.map(({ repository, workflow, runner, since }) => {
      const name = detail === FULL ? workflow : workflow?.replace(WORKFLOW_PATH, '$1')
      const what = `${repository ?? 'unknown repository'}, workflow ${name ?? 'unknown'}, on ${runner ?? 'unknown'}`
      return printed(`held by ${what}, since ${since ?? 'unknown'}`, detail)
    }),
    detail.holders,
  )
}

function consumerLines({ fields }: Finding, detail: Detail): readonly string[] {
  return limited(
    listAt(fields, 'consumers').map((one) =>
      printed(`used by ${textAt(one, 'namespace') ?? 'unknown'}: ${numberAt(one, 'pods') ?? 'unknown'} pods`, detail),
    ),
    detail.holders,
  )
}

/** An audit removes nothing, so that it has no cap, keeps nothing and asks GitHub for nothing. */
const AT_ACT: ReadonlySet<string> = new Set(['github-deregistered', 'within-cap', 'evidence-stored'])

function gateLines(gates: readonly GateAnswer[], detail: Detail): readonly string[] {
  if (gates.length === 0) return []
  const missing = gates.filter(({ holds }) => !holds).map(({ gate }) => gate)
  const refusing = missing.filter((gate) => !AT_ACT.has(gate))
  const open = missing.filter((gate) => AT_ACT.has(gate))
  const refused = [
    `gates: ${gates.length - missing.length} of ${gates.length} hold`,
    ...(refusing.length === 0 ? [] : [`refused by ${refusing.join(', ')}`]),
    ...(open.length === 0 ? [] : [`open until the act: ${open.join(', ')}`]),
  ].join('; ')
  if (detail !== FULL) return [refused]
  return [
    refused,
    ...gates.map(({ gate, holds, why }) =>
      printed(`gate ${gate} ${holds ? 'holds' : AT_ACT.has(gate) ? 'is open' : 'refuses'}: ${why}`, detail),
    ),
  ]
}
