import { blindObstacles, listObstacles, judgeReadiness } from './readiness.ts'
import type { Obstacle, Readiness } from './readiness.ts'
import { gatesForAll } from '#/audits/runtime/gates.ts'
import { staleReferences } from '#/audits/runtime/listener-reference.ts'
import { describeFix } from '#/audits/runtime/set-traps.ts'
import { ARC_SOURCES, FURTHER_SOURCES, RUNTIME_MENTIONS, hasScaleSets } from '#/audits/runtime/sources.ts'
import { setSubject } from '#/audits/runtime/subject.ts'
import { buildRuntimeView } from '#/core/fleet/traps/view.ts'
import type { RuntimeView, SetView } from '#/core/fleet/traps/view.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding, Severity } from '#/core/audit/finding.ts'

const SEVERITY: Readonly<Record<Readiness, Severity>> = {
  ready: 'info',
  'in-flight': 'warning',
  wedged: 'critical',
  unknown: 'warning',
}

function judgeSet(own: SetView, obstacles: readonly Obstacle[], view: RuntimeView): Finding {
  const { set, rollover, runnerSets, listener } = own
  const result = judgeReadiness(obstacles)
  const deciding = obstacles.filter((obstacle) => obstacle.result === result)
  return {
    class: result,
    severity: SEVERITY[result],
    subject: setSubject(set),
    evidence:
      result === 'ready'
        ? [
            ...listener.evidence,
            `one generation: ${runnerSets.map(({ name }) => name).join(', ')}`,
            `the listener's cap is ${set.maxRunners ?? 'unlimited'}, as declared`,
          ]
        : deciding.flatMap(({ evidence }) => evidence),
    hint: hintFor(own, result, deciding),
    ...(rollover.kind === 'wedged' && result === 'wedged'
      ? { gates: gatesForAll(rollover.blockers, view, 'not-busy') }
      : {}),
    fields: { scaleSet: set.name, reasons: deciding.map(({ reason }) => reason) },
  }
}

function hintFor(own: SetView, result: Readiness, [first]: readonly Obstacle[]): string {
  const { set, rollover } = own
  const name = `${set.namespace}/${set.name}`
  switch (result) {
    case 'ready':
      return 'a rollout may start'
    case 'in-flight':
      return `wait: signalbox preflight ${name} --wait 10m`
    case 'unknown':
      return `do not start: ${first?.evidence[0] ?? 'not enough could be seen'}`
    case 'wedged':
      return rollover.kind === 'wedged'
        ? describeFix(
            own,
            rollover.blockers.map(({ runner }) => runner.name),
          )
        : `do not start; signalbox audit runtime burst --scale-set ${name} shows the details`
  }
}

export const preflight: Audit = {
  id: 'preflight',
  asks: 'may a rollout start now? (per scale set)',
  about:
    "A set wedges when a rollout starts before the previous one has finished. A set is ready when it has one generation, a listener whose container runs and whose cap is as declared, phase Running if its version has phases, and nothing that should have been gone 10 minutes ago. The counts in a set's status are not used. Up to 0.13 sets have no phase, and with strategy immediate the phase is Running during a rollover, so generations are counted.",
  reads: [
    ...ARC_SOURCES,
    { source: 'github/runners', weight: 'useful', gives: 'whether runners of a set without a listener have a job' },
    { source: 'github/queued-jobs', weight: 'useful', gives: 'which runners have a job in progress' },
    ...FURTHER_SOURCES,
  ],
  mentions: RUNTIME_MENTIONS,
  classes: [
    {
      class: 'ready',
      severity: 'info',
      meaning: 'one generation, a working listener with the declared cap, nothing stuck',
      next: 'The rollout may start.',
    },
    {
      class: 'in-flight',
      severity: 'warning',
      meaning: 'a healthy rollover is running, or something of the set is starting or terminating',
      next: 'Wait for it: signalbox preflight --wait.',
    },
    {
      class: 'wedged',
      severity: 'critical',
      meaning:
        'something blocks the set and does not resolve itself: a wedged rollover, a listener that is down, a parked set',
      next: 'Fix it first: another rollout makes it worse.',
    },
    {
      class: 'unknown',
      severity: 'warning',
      meaning: 'a required source could not be read',
      next: 'Give access to it; until then do not start the rollout.',
    },
  ],
  applies: hasScaleSets,
  examine: (fleet, question) => {
    const view = buildRuntimeView(fleet, question)
    const stale = staleReferences(view)
    if (!fleet.saw('kubernetes/autoscalingrunnersets')) {
      const evidence = blindObstacles(fleet).flatMap((obstacle) => obstacle.evidence)
      return [
        {
          class: 'unknown',
          severity: 'warning',
          subject: { kind: 'Source', name: 'kubernetes/autoscalingrunnersets' },
          evidence,
          hint: 'do not start: the scale sets could not be read',
        },
      ]
    }
    return view.sets.map((own) => judgeSet(own, listObstacles(own, stale.get(own.key) ?? null, fleet), view))
  },
}
