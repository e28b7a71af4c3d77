import { RATE_LIMITED, lastComplaint, setFinder } from './arc-complaints.ts'
import type { ComplaintKind } from './arc-complaints.ts'
import { BRIDGES } from './budget-findings.ts'
import { needFields, needOwner, secretSubject, setNames } from './needs.ts'
import type { Need } from './needs.ts'
import { findRefusal } from './refusals.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LogExcerpt } from '#/core/fleet/snapshot.ts'
import { describeOwner, parseLimitedOwner } from '#/core/github/budget-owner.ts'

type Complaint = {
  readonly subject: FindingSubject
  readonly need: Need | null
  readonly set: ScaleSet | null
  readonly log: string
  readonly line: string
}

const REFUSED: ComplaintKind = { isOne: (text) => findRefusal(text) !== null, ends: false }

/** What listeners and the controller log about their credential. It shows even where GitHub cannot be asked with it. */
export function complaintFindings(fleet: Fleet, question: Question, needs: readonly Need[]): readonly Finding[] {
  const isWhole = question.labels.length + question.scaleSets.length === 0
  const asked = new Set(askedSets(fleet, question))
  const isAsked = ({ need, set }: Complaint): boolean => isWhole || need !== null || (set !== null && asked.has(set))
  const list = (kind: ComplaintKind) => grouped(listComplaints(fleet, needs, kind).filter(isAsked))
  return [...list(RATE_LIMITED).map(limited), ...list(REFUSED).flatMap(refused)]
}

function listComplaints(fleet: Fleet, needs: readonly Need[], kind: ComplaintKind): readonly Complaint[] {
  const { logs } = fleet.snapshot
  if (logs.kind !== 'seen') return []
  const findSet = setFinder(fleet)
  return logs.value.flatMap((log) => {
    const line = lastComplaint(log, fleet, kind)
    if (line === null) return []
    const set = findSet(log, line)
    const need = set === null ? undefined : needs.find(({ sets }) => sets.includes(set))
    const subject = need === undefined ? findSubject(log, set) : secretSubject(need)
    return [{ subject, need: need ?? null, set, log: describeLog(log), line }]
  })
}

function describeLog({ namespace, pod, container, previous }: LogExcerpt): string {
  return `logs/${namespace}/${pod}/${container}${previous ? '.previous' : ''}`
}

/** A set whose credential is in a vault has no Secret. */
function findSubject({ namespace, pod }: LogExcerpt, set: ScaleSet | null): FindingSubject {
  return set === null
    ? { kind: 'Pod', namespace, name: pod }
    : { kind: set.kind, namespace: set.namespace, name: set.name }
}

/** Several listeners can share a credential, and a crash loop can leave a log for each of its pods. */
function grouped(complaints: readonly Complaint[]): readonly (readonly [Complaint, ...Complaint[]])[] {
  const groups = Map.groupBy(complaints, ({ subject }) => `${subject.kind} ${subject.namespace}/${subject.name}`)
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  )
}

const MOST_QUOTED = 5

function quotes(complaints: readonly Complaint[]): readonly string[] {
  const [first, ...others] = complaints
  const more = others.length > MOST_QUOTED - 1 ? [`and ${others.length - MOST_QUOTED + 1} more logs`] : []
  return [
    ...(first === undefined ? [] : [`${first.log}: ${quote(first.line)}`]),
    ...others.slice(0, MOST_QUOTED - 1).map(({ log }) => `${log} says the same`),
    ...more,
  ]
}

function usedBy(need: Need | null): readonly string[] {
  return need === null ? [] : [`used by ${setNames(need)}`]
}

function limited(complaints: readonly [Complaint, ...Complaint[]]): Finding {
  const [{ subject, need, line }] = complaints
  const said = parseLimitedOwner(line)
  const owner = said === 'unknown' && need !== null ? needOwner(need) : said
  return {
    class: 'rate-limited',
    severity: 'critical',
    subject,
    evidence: [
      owner === 'unknown' ? 'its rate limit is exhausted' : `the exhausted rate limit is ${describeOwner(owner)}`,
      ...usedBy(need),
      ...quotes(complaints),
    ],
    hint: BRIDGES[owner],
    fields: { budgetOwner: owner, ...(need === null ? {} : needFields(need)) },
  }
}

function refused(complaints: readonly [Complaint, ...Complaint[]]): readonly Finding[] {
  const [{ subject, need, line }] = complaints
  const refusal = findRefusal(line)
  if (refusal === null) return []
  return [
    {
      class: 'credential-refused',
      severity: 'critical',
      subject,
      evidence: [refusal.why, ...usedBy(need), ...quotes(complaints)],
      hint: `${refusal.next}; until then no new runner of ${need === null ? 'its sets' : setNames(need)} can register`,
      ...(need === null ? {} : { fields: needFields(need) }),
    },
  ]
}
