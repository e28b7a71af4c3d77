import { redacted } from '#/cli/audit/render-audit.ts'
import { seenSections } from '#/cli/audit/seen-sections.ts'
import type { Output, Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Tone } from '#/cli/output/style.ts'
import type { Cell } from '#/cli/output/table.ts'
import { ACT_GATES } from '#/core/interlock/act.ts'
import type { Decision } from '#/core/interlock/decide.ts'
import type { GateOutcome } from '#/core/interlock/check-gates.ts'
import { describeResult } from '#/core/interlock/gate.ts'
import type { GateId, GateResult } from '#/core/interlock/gate.ts'
import type { PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import { runnerSubject } from '#/core/interlock/policy.ts'
import { GATES } from '#/gates/index.ts'
import type { ReapAnswer } from './look.ts'

export function renderReap(answer: ReapAnswer): Output {
  const { policies, planned, unjudged, sources } = answer
  return {
    data: redacted({
      applied: false,
      policies: policies.map(({ id }) => id),
      candidates: planned.map((one) => candidateToJson(one, answer.now)),
      notJudged: unjudged.map(({ policy, sources: missing }) => ({ policy: policy.id, sources: missing })),
      sources,
    }),
    sections: [
      ...candidateSections(planned),
      ...summarySections(answer),
      ...seenSections([{ id: 'reap', sources: neededSources(answer), findings: [], isBlind: false }]),
    ],
  }
}

/** Where another way showed the processes of each candidate, or there is none, advice on how to see them is noise. */
export function neededSources({ planned, sources }: Pick<ReapAnswer, 'planned' | 'sources'>): ReapAnswer['sources'] {
  const isNeeded = blindGates(planned).has('no-worker-process')
  return sources.filter(({ name, ok }) => ok || name !== 'processes' || isNeeded)
}

const HOLDS: Readonly<Record<GateResult['kind'], boolean | null>> = { holds: true, refuses: false, blind: null }

/** docs/contracts/acting.md; `atAct`, `because` and `scales` are additions. */
function candidateToJson({ proposal, decision, decidedBy, gates, atAct }: PlannedRemoval, now: number) {
  const { policy, act, subject, runners, because, scales } = proposal
  const isSet = subject.kind !== 'EphemeralRunner'
  return {
    policy: policy.id,
    act,
    subject,
    decision,
    decidedBy,
    because,
    gates: gates.map(({ gate, result }) => ({
      gate,
      holds: HOLDS[result.kind],
      why: describeResult(result),
      ageSeconds: Math.max(0, Math.floor((now - result.at) / 1000)),
    })),
    atAct,
    ...(isSet ? { removes: runners.map(runnerSubject) } : {}),
    ...(scales === undefined ? {} : { scales }),
  }
}

const WORDS: Readonly<Record<Decision, { readonly text: string; readonly tone: Tone }>> = {
  'would-remove': { text: 'would remove', tone: 'green' },
  refused: { text: 'refused', tone: 'red' },
  blind: { text: 'blind', tone: 'yellow' },
}
const MARKS: Readonly<Record<GateResult['kind'], string>> = { holds: '✓', refuses: '✗', blind: '?' }
const OPEN = '·'

function candidateSections(planned: readonly PlannedRemoval[]): readonly Section[] {
  const [first] = planned
  if (first === undefined) return []
  const order = ACT_GATES[first.proposal.act]
  return [
    {
      table: {
        columns: ['policy', 'candidate', 'decision', 'gates', 'why'],
        rows: planned.map((one): readonly Cell[] => [
          one.proposal.policy.id,
          describeCandidate(one.proposal),
          WORDS[one.decision],
          markGates(one, order),
          clean(describeReason(one)),
        ]),
      },
      text: `\nGates, in this order: ${order.join(', ')}.\n✓ holds, ✗ refuses, ? could not be observed, which refuses too, ${OPEN} is open: only the act can answer.`,
    },
    ...blindAdvice(blindGates(planned)),
  ]
}

type Described = {
  readonly subject: { readonly kind: string; readonly namespace?: string | null; readonly name: string }
  readonly runners: readonly unknown[]
}

/** Of a wedged set only the runners go: the set stays. */
export function describeCandidate({ subject, runners }: Described): string {
  const name = `${subject.namespace ?? ''}/${subject.name}`
  return subject.kind === 'EphemeralRunner' ? name : `runners of ${name} (${runners.length})`
}

function markGates({ gates }: PlannedRemoval, order: readonly GateId[]): string {
  return order
    .map((id) => {
      const outcome = gates.find(({ gate }) => gate === id)
      return outcome === undefined ? OPEN : MARKS[outcome.result.kind]
    })
    .join('')
}

/** The one reason that decides: of a refusal its gate, of a removal what was observed. */
function describeReason({ proposal, decidedBy, gates }: PlannedRemoval): string {
  const deciding = gates.find(({ gate }) => gate === decidedBy)
  if (deciding !== undefined) return `${deciding.gate}: ${describeResult(deciding.result)}`
  const { scales = [], because } = proposal
  const names = scales.map(({ name }) => name)
  return [...(names.length === 0 ? [] : [`scale ${names.join(', ')} to 0`]), ...because.slice(0, 1)].join(': ')
}

const SHOWN_CHARACTERS = 160
/** With what would help. */
const REASONS_CHARACTERS = 600

export function clean(text: string, most = SHOWN_CHARACTERS): string {
  const safe = printable(redacted(text))
  return safe.length > most ? `${safe.slice(0, most)}…` : safe
}

function blindGates(planned: readonly PlannedRemoval[]): ReadonlySet<string> {
  const isBlind = ({ result }: GateOutcome): boolean => result.kind === 'blind'
  return new Set(planned.flatMap(({ gates }) => gates.filter(isBlind).map(({ gate }) => gate)))
}

/** What would let the blind gates see, each once. */
export function blindAdvice(ids: ReadonlySet<string>): readonly Section[] {
  const lines = GATES.filter(({ id }) => ids.has(id)).map(({ id, toSeeIt }) => `  ${id}: ${toSeeIt}`)
  return lines.length === 0 ? [] : [{ title: 'What lets a blind gate see', text: lines.join('\n') }]
}

function summarySections(answer: ReapAnswer): readonly Section[] {
  const { policies, planned } = answer
  const count = (decision: Decision): number => planned.filter((one) => one.decision === decision).length
  const asked = policies.map(({ id }) => id).join(', ')
  const numbers = `${count('would-remove')} would be removed, ${count('refused')} refused, ${count('blind')} blind`
  return [
    ...unjudgedSections(answer),
    {
      text: `${planned.length === 0 ? `No candidates: ${asked}.` : `Candidates: ${numbers}.`} This is a dry run: nothing was changed.`,
    },
  ]
}

export function unjudgedSections({ unjudged }: Pick<ReapAnswer, 'unjudged'>): readonly Section[] {
  const missing = unjudged.map(({ policy, sources }) => {
    const reasons = sources.map(({ name, reason, toSeeIt }) => `${name} (${reason ?? 'unread'}): ${toSeeIt ?? ''}`)
    return `  ${policy.id} finds nothing without ${clean(reasons.join('; '), REASONS_CHARACTERS)}`
  })
  return missing.length === 0 ? [] : [{ title: 'Not judged', text: missing.join('\n') }]
}
