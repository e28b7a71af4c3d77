import type { Audit, Question, SourceUse } from './audit.ts'
import type { Finding } from './finding.ts'
import { howToSee } from './how-to-see.ts'
import { BLIND_CLASS, SEVERITIES, blindFinding } from './finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { SourceGap } from '#/core/fleet/snapshot.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Blind, BlindReason, Observed } from '#/core/basics/observed.ts'

export type SourceReport = {
  readonly name: string
  readonly ok: boolean
  /** What the audit learns from it. */
  readonly gives?: string
  /** Of a source that could not be read: why, and what would change that. */
  readonly reason?: string
  readonly toSeeIt?: string
  /** How many rows a list had. */
  readonly rows?: number
  /** A remark about a source that could be read. */
  readonly remark?: string
}

export type AuditReport = {
  readonly id: string
  readonly sources: readonly SourceReport[]
  readonly findings: readonly Finding[]
  /** A source was blind that "no findings" depends on. */
  readonly isBlind: boolean
}

export function runAudit(audit: Audit, fleet: Fleet, question: Question): AuditReport {
  const reads = withFleetFile(audit.reads, fleet)
  const uses = reads.flatMap((use) => spread(use, fleet, question))
  const remarks = audit.remarks?.(fleet, question) ?? new Map<string, string>()
  const states = uses.map((use) => ({ use, report: reportSource(use, fleet, remarks) }))
  const mattering = states.filter(({ use, report }) => !report.ok && matters(use, fleet))
  const gaps = reads
    .map(({ source }) => ({ source, gaps: listGaps(source, fleet) }))
    .filter((own) => own.gaps.length > 0)
  const blinds = [
    ...mattering.map(({ report }) => blindFinding(report.name, report.reason ?? 'it could not be read')),
    ...gaps.map((own) => gapFinding(own.source, own.gaps)),
  ]
  const found = audit.examine(fleet, question)
  return {
    id: audit.id,
    sources: [
      ...states.map(({ report }) => report),
      ...gaps.flatMap((own) =>
        own.gaps.map(({ source, reason }) => ({ name: source, ok: false, reason: describeGap(reason) })),
      ),
    ],
    findings: [...found.toSorted(worstFirst), ...blinds],
    // A document without the requested data is as blind as a missing one.
    isBlind: blinds.length > 0 || found.some(isBlindFinding),
  }
}

/** An unreadable fleet file affects every audit: it may set thresholds and lanes. */
function withFleetFile(reads: readonly SourceUse[], fleet: Fleet): readonly SourceUse[] {
  const use: SourceUse = { source: 'fleet', weight: 'useful', gives: 'thresholds and lanes' }
  const isLost = matters(use, fleet) && !reads.some(({ source }) => source === use.source)
  return isLost ? [...reads, use] : reads
}

function listGaps(source: string, { snapshot }: Fleet): readonly SourceGap[] {
  return (snapshot.gaps ?? []).filter((gap) => gap.source.startsWith(`${source}/`))
}

const MOST_GAPS = 20

/** One finding for all parts: a thousand truncated logs are one problem. */
function gapFinding(source: string, gaps: readonly SourceGap[]): Finding {
  const [first, ...more] = gaps
  if (first === undefined || more.length === 0) return blindFinding(first?.source ?? source, describeGap(first?.reason))
  const finding = blindFinding(source, `${gaps.length} parts of it could not be read`)
  const named = gaps.slice(0, MOST_GAPS).map((gap) => `${gap.source}: ${describeGap(gap.reason)}`)
  return { ...finding, evidence: [...finding.evidence, ...named] }
}

function describeGap(reason: BlindReason | undefined): string {
  return reason === undefined ? 'it could not be read' : describeReason(reason)
}

/** A useful source that was never requested is no gap; any source that was requested and could not be read is one. */
function matters({ source, weight }: SourceUse, fleet: Fleet): boolean {
  const observed = findSource(fleet.snapshot, source)
  return weight === 'needed' || (observed.kind === 'blind' && observed.reason.code !== 'not-asked')
}

function spread(use: SourceUse, fleet: Fleet, { nodes }: Question): readonly SourceUse[] {
  if (use.source !== 'kubernetes/stats' && use.source !== 'kubernetes/configz') return [use]
  const byNode = use.source === 'kubernetes/stats' ? fleet.snapshot.stats : fleet.snapshot.configz
  const names = new Set([...fleet.nodes.map(({ name }) => name), ...byNode.keys()])
  const wanted = [...names].filter((name) => nodes.length === 0 || nodes.includes(name))
  // Without the list of nodes nobody knows of which nodes it is missing.
  if (wanted.length === 0 && !fleet.saw('kubernetes/nodes')) return [use]
  const { weight, gives } = use
  return wanted.map((name) => ({ source: `${use.source}/${name}`, weight, gives }))
}

function reportSource({ source, gives }: SourceUse, fleet: Fleet, own: ReadonlyMap<string, string>): SourceReport {
  const observed = findSource(fleet.snapshot, source)
  if (observed.kind === 'blind') return unseenSource({ source, gives }, observed.reason)
  const remark = joinRemarks(fleet.snapshot.remarks?.get(source), own.get(source))
  const rows = countRows(observed)
  return {
    name: source,
    ok: true,
    gives,
    ...(rows === null ? {} : { rows }),
    ...(remark === undefined ? {} : { remark }),
  }
}

function joinRemarks(...remarks: readonly (string | undefined)[]): string | undefined {
  const said = remarks.filter((remark) => remark !== undefined)
  return said.length === 0 ? undefined : said.join('; ')
}

function unseenSource({ source, gives }: Pick<SourceUse, 'source' | 'gives'>, reason: BlindReason): SourceReport {
  return { name: source, ok: false, gives, reason: describeReason(reason), toSeeIt: howToSee(source, reason.code) }
}

function countRows(observed: Exclude<Observed<unknown>, Blind>): number | null {
  if (observed.kind === 'none') return 0
  if (observed.value instanceof Map) return observed.value.size
  return Array.isArray(observed.value) ? observed.value.length : null
}

function worstFirst(a: Finding, b: Finding): number {
  return SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity)
}

export function isBlindFinding(finding: Finding): boolean {
  return finding.class === BLIND_CLASS
}
