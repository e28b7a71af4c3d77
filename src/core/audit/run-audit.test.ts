import { describe, expect, it } from 'vitest'
import type { Audit } from './audit.ts'
import { WHOLE_FLEET } from './audit.ts'
import { blindFinding } from './finding.ts'
import type { Finding } from './finding.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { runAudit } from './run-audit.ts'

const finding = (severity: Finding['severity']): Finding => ({
  class: `a-${severity}`,
  severity,
  subject: { kind: 'Node', name: 'n' },
  evidence: [],
  hint: '',
})

const audit = (reads: Audit['reads'], findings: readonly Finding[] = []): Audit => ({
  id: 'nodes',
  asks: '',
  about: '',
  reads,
  classes: [],
  applies: () => true,
  examine: () => findings,
})

const needed = (source: string) => ({ source, weight: 'needed', gives: '' }) as const
const useful = (source: string) => ({ source, weight: 'useful', gives: '' }) as const
const forbidden = blind('forbidden', 'nodes is forbidden')

describe('the report of an audit', () => {
  it('has the row count of each list, so that an empty one differs from a full one', () => {
    const fleet = buildFleet({ nodes: [{ metadata: { name: 'n' } }] })
    expect(
      runAudit(audit([needed('kubernetes/nodes'), needed('kubernetes/events')]), fleet, WHOLE_FLEET).sources,
    ).toEqual([
      { name: 'kubernetes/nodes', ok: true, gives: '', rows: 1 },
      { name: 'kubernetes/events', ok: true, gives: '', rows: 0 },
    ])
  })

  it('has the worst finding first', () => {
    const report = runAudit(
      audit([], (['info', 'critical', 'warning'] as const).map(finding)),
      buildFleet({}),
      WHOLE_FLEET,
    )
    expect(report.findings.map(({ severity }) => severity)).toEqual(['critical', 'warning', 'info'])
  })

  it('reports a needed source that could not be read as a finding, with the reason', () => {
    const report = runAudit(audit([needed('kubernetes/nodes')]), buildFleet({ nodes: forbidden }), WHOLE_FLEET)
    expect(report).toMatchObject({
      isBlind: true,
      sources: [{ name: 'kubernetes/nodes', ok: false, reason: 'forbidden: nodes is forbidden' }],
      findings: [{ class: 'blind', severity: 'warning', subject: { kind: 'Source', name: 'kubernetes/nodes' } }],
    })
  })

  it('prints the code of a reason once, if the bundle has it in the text too', () => {
    const nodes = blind('forbidden', 'forbidden: nodes is forbidden')
    const [source] = runAudit(audit([needed('kubernetes/nodes')]), buildFleet({ nodes }), WHOLE_FLEET).sources
    expect(source?.reason).toBe('forbidden: nodes is forbidden')
  })

  it('reports a useful source only if it was requested', () => {
    const isBlind = (nodes: typeof forbidden) =>
      runAudit(audit([useful('kubernetes/nodes')]), buildFleet({ nodes }), WHOLE_FLEET).isBlind
    expect([isBlind(forbidden), isBlind(blind('not-asked', 'x'))]).toEqual([true, false])
  })

  it('is blind if a document has nothing of what was requested', () => {
    const report = runAudit(audit([], [blindFinding('kubernetes/stats/n', 'empty')]), buildFleet({}), WHOLE_FLEET)
    expect(report.isBlind).toBe(true)
  })

  it('has a source for each requested node', () => {
    const fleet = buildFleet(
      { nodes: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] },
      { stats: new Map([['b', seen({ node: {} })]]) },
    )
    const names = (nodes: readonly string[]) =>
      runAudit(audit([needed('kubernetes/stats')]), fleet, { ...WHOLE_FLEET, nodes }).sources.map(({ name, ok }) => [
        name,
        ok,
      ])
    expect(names([])).toEqual([
      ['kubernetes/stats/a', false],
      ['kubernetes/stats/b', true],
    ])
    expect(names(['b'])).toEqual([['kubernetes/stats/b', true]])
  })

  it('has a source of nodes even if nobody knows which nodes exist', () => {
    const fleet = buildFleet({ nodes: forbidden })
    const { sources } = runAudit(audit([needed('kubernetes/stats')]), fleet, WHOLE_FLEET)
    expect(sources.map(({ name, ok }) => [name, ok])).toEqual([['kubernetes/stats', false]])
  })

  it('includes a remark about a source that could be read', () => {
    const fleet = buildFleet({}, { logs: seen([]), remarks: new Map([['logs', '3 of 40 could not be read']]) })
    expect(runAudit(audit([useful('logs')]), fleet, WHOLE_FLEET)).toMatchObject({
      isBlind: false,
      sources: [{ name: 'logs', ok: true, rows: 0, remark: '3 of 40 could not be read' }],
    })
  })
})

describe('a source with an unreadable part', () => {
  const gap = (source: string) => ({ source, reason: forbidden.reason })

  it('is reported by the name of the part, as source and as finding', () => {
    const fleet = buildFleet({}, { logs: seen([]), gaps: [gap('logs/a/b/c'), gap('host/n')] })
    expect(runAudit(audit([useful('logs')]), fleet, WHOLE_FLEET)).toMatchObject({
      isBlind: true,
      sources: [
        { name: 'logs', ok: true },
        { name: 'logs/a/b/c', ok: false, reason: 'forbidden: nodes is forbidden' },
      ],
      findings: [{ class: 'blind', subject: { kind: 'Source', name: 'logs/a/b/c' } }],
    })
  })

  it('is one finding for many parts; the first are listed', () => {
    const gaps = Array.from({ length: 1000 }, (_, index) => gap(`logs/a/p${index}/c`))
    const { findings } = runAudit(audit([useful('logs')]), buildFleet({}, { logs: seen([]), gaps }), WHOLE_FLEET)
    expect(findings.map(({ subject, evidence }) => [subject.name, evidence[0], evidence.length])).toEqual([
      ['logs', '1000 parts of it could not be read', 21],
    ])
  })

  it('does not affect an audit that does not read the source', () => {
    const fleet = buildFleet({}, { gaps: [gap('logs/a/b/c')] })
    expect(runAudit(audit([needed('kubernetes/logs')]), fleet, WHOLE_FLEET).findings).toHaveLength(1)
    expect(runAudit(audit([]), fleet, WHOLE_FLEET).findings).toEqual([])
  })
})

describe('a fleet file that cannot be read', () => {
  it('is reported by every audit, because it may set thresholds for each', () => {
    const fleet = buildFleet({}, { fleetFile: blind('malformed', 'spec.lanes: not a list') })
    expect(runAudit(audit([]), fleet, WHOLE_FLEET)).toMatchObject({
      isBlind: true,
      sources: [{ name: 'fleet', ok: false, reason: 'malformed: spec.lanes: not a list' }],
      findings: [{ class: 'blind', subject: { name: 'fleet' } }],
    })
  })

  it('is reported once by an audit that reads it', () => {
    const fleet = buildFleet({}, { fleetFile: blind('malformed', 'x') })
    expect(runAudit(audit([useful('fleet')]), fleet, WHOLE_FLEET).sources).toHaveLength(1)
  })

  it('that does not exist is not reported', () => {
    expect(runAudit(audit([]), buildFleet({}), WHOLE_FLEET)).toMatchObject({
      isBlind: false,
      sources: [],
      findings: [],
    })
  })
})
