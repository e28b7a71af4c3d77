import { redacted } from '#/cli/audit/render-audit.ts'
import { seenSections } from '#/cli/audit/seen-sections.ts'
import type { Output, Section } from '#/cli/output/print-output.ts'
import type { Tone } from '#/cli/output/style.ts'
import type { Cell } from '#/cli/output/table.ts'
import { blindAdvice, clean, describeCandidate, neededSources, unjudgedSections } from '#/cli/reap/plan/render-reap.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import { preventWedge } from '#/core/fleet/traps/prevent-wedge.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import type { Applied, AppliedDecision } from './applied.ts'
import type { Round } from './apply-round.ts'

type Manner = {
  readonly where: string
  /** The folder of ledger and evidence, if there is no server. */
  readonly folder: string | undefined
  readonly waitMs: number | null
}

export function renderApplied(round: Round, manner: Manner): Output {
  const { answer, run, applied } = round
  const { policies, unjudged, sources } = answer
  return {
    data: redacted({
      applied: true,
      policies: policies.map(({ id }) => id),
      candidates: applied.map(candidateToJson),
      notJudged: unjudged.map(({ policy, sources: missing }) => ({ policy: policy.id, sources: missing })),
      sources,
      run,
      ledger: manner.where,
    }),
    sections: [
      ...candidateSections(applied),
      ...wedgeSections(round, manner),
      ...unjudgedSections(answer),
      summary(round, manner),
      ...seenSections([{ id: 'reap', sources: neededSources(answer), findings: [], isBlind: false }]),
    ],
  }
}

/** docs/contracts/acting.md; `why`, `because`, `ledger`, `evidence`, `scales` and `freed` are additions. */
function candidateToJson({ order, proposal, decision, decidedBy, why, gates, row, freed }: Applied) {
  const { policy, candidate, scales } = order
  const { act, subject, runners } = candidate
  const { kind, namespace, name } = subject
  const isSet = kind !== 'EphemeralRunner'
  return {
    policy: policy.id,
    act,
    subject: { kind, namespace, name },
    decision,
    decidedBy,
    why,
    because: proposal?.because ?? [],
    gates,
    ledger: row?.id ?? null,
    evidence: row?.evidence ?? null,
    ...(isSet
      ? { removes: runners.map((one) => ({ kind: 'EphemeralRunner', namespace: one.namespace, name: one.name })) }
      : {}),
    ...(scales.length === 0
      ? {}
      : { scales: scales.map((one) => ({ kind: 'EphemeralRunnerSet', namespace, name: one })) }),
    ...(freed === null ? {} : { freed }),
  }
}

const TONES: Readonly<Record<AppliedDecision, Tone>> = {
  removed: 'green',
  refused: 'red',
  blind: 'yellow',
  failed: 'red',
  vanished: 'yellow',
}

function candidateSections(applied: readonly Applied[]): readonly Section[] {
  const [first] = applied
  if (first === undefined) return []
  const order = ACT_GATES[first.order.candidate.act]
  const blind = new Set(
    applied.flatMap(({ gates }) => gates.filter(({ holds }) => holds === null).map(({ gate }) => gate)),
  )
  return [
    {
      table: {
        columns: ['policy', 'candidate', 'decision', 'gates', 'why', 'ledger'],
        rows: applied.map((one): readonly Cell[] => [
          one.order.policy.id,
          describeCandidate(one.order.candidate),
          { text: one.decision, tone: TONES[one.decision] },
          order.map((id) => mark(one.gates.find(({ gate }) => gate === id))).join(''),
          clean(describeWhy(one)),
          one.row === null ? '' : String(one.row.id),
        ]),
      },
      text: `\nGates, in this order: ${order.join(', ')}.\n✓ holds, ✗ refuses, ? could not be observed, which refuses too, · was not reached.`,
    },
    ...blindAdvice(blind),
  ]
}

function mark(proof: GateProof | undefined): string {
  if (proof === undefined) return '·'
  if (proof.holds === null) return '?'
  return proof.holds ? '✓' : '✗'
}

/** The one reason that decides. */
function describeWhy({ proposal, order, decision, decidedBy, why }: Applied): string {
  if (decidedBy !== null) return `${decidedBy}: ${why}`
  if (decision !== 'removed' || why !== '') return why
  const { scales } = order
  const [because = ''] = proposal?.because ?? []
  return scales.length === 0 ? because : `scaled ${scales.join(', ')} to 0: ${because}`
}

/** Of each set that was freed: the proof, and how to prevent the next wedge. */
function wedgeSections({ answer, applied }: Round, { waitMs }: Manner): readonly Section[] {
  const lines = applied
    .filter(({ order, decision }) => order.policy.id === 'wedge' && decision === 'removed')
    .flatMap(({ order: { candidate }, freed }) => {
      const key = candidate.scaleSet ?? ''
      const own = answer.view.sets.find((set) => set.key === key)
      const prevent = own === undefined ? [] : [`  To prevent the next one: ${preventWedge(own.set.generation)}.`]
      return [`  ${key}: ${describeFreed(key, freed, waitMs)}`].concat(prevent)
    })
  if (lines.length === 0) return []
  return [{ title: 'Wedged sets', text: `${lines.map((line) => clean(line, 400)).join('\n')}\n  More: docs/reap.md.` }]
}

function describeFreed(key: string, freed: Applied['freed'], waitMs: number | null): string {
  if (freed === null) return `not proved yet. Its new listener proves it: signalbox preflight ${key} --wait 5m`
  if (freed.kind === 'still-wedged') {
    return `no new listener${waitMs === null ? '' : ` within ${formatDuration(waitMs)}`}: ${freed.why}`
  }
  return `free: the new listener ${freed.listener} is up, UID ${freed.uid ?? 'unknown'}`
}

function summary({ answer, applied, run }: Round, { where, folder }: Manner): Section {
  const count = (decision: AppliedDecision): number => applied.filter((one) => one.decision === decision).length
  const numbers = (['removed', 'refused', 'blind', 'failed', 'vanished'] as const)
    .map((decision) => `${count(decision)} ${decision}`)
    .join(', ')
  const asked = answer.policies.map(({ id }) => id).join(', ')
  const text = applied.length === 0 ? `No candidates: ${asked}. Nothing was changed.` : `Candidates: ${numbers}.`
  if (applied.length === 0) return { text }
  const read = `signalbox ledger${folder === undefined ? '' : ` --evidence ${folder}`} -o wide`
  return { text: `${text} Run ${run}, ledger: ${where}.\nThe proofs of each: ${read}` }
}
