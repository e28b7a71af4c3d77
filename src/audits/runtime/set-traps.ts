import { isFreedByScaling } from '#/core/fleet/arc-version.ts'
import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { StaleReference } from './listener-reference.ts'
import { gatesForAll } from './gates.ts'
import type { Rollover } from '#/core/fleet/traps/rollover.ts'
import { runnerFinding, setSubject } from './subject.ts'
import type { RuntimeView, SetView } from '#/core/fleet/traps/view.ts'

export function rollovers(view: RuntimeView): readonly Finding[] {
  return view.sets.flatMap((own) => {
    const { rollover } = own
    switch (rollover.kind) {
      case 'none':
        return []
      case 'in-flight':
        return [inFlight(own, rollover.evidence)]
      case 'wedged':
        return wedged(own, rollover, view)
    }
  })
}

export function inFlight({ set }: Pick<SetView, 'set'>, evidence: readonly string[]): Finding {
  return {
    class: 'rollover-in-flight',
    severity: 'info',
    subject: setSubject(set),
    evidence,
    hint: `wait for it: signalbox preflight ${set.namespace}/${set.name} --wait 10m`,
    fields: { scaleSet: set.name },
  }
}

function wedged(own: SetView, rollover: Extract<Rollover, { kind: 'wedged' }>, view: RuntimeView): readonly Finding[] {
  const { set } = own
  const gates = gatesForAll(rollover.blockers, view, 'not-busy')
  const runners = rollover.blockers.map(({ runner }) => runner.name)
  const common = {
    subject: setSubject(set),
    hint: describeFix(own, runners),
    gates,
    fields: { scaleSet: set.name, runners },
  }
  const queue = view.fleet.saw('github/queued-jobs')
    ? ', and none has a job in progress'
    : '; jobs in progress are unknown'
  const jobless = `GitHub lists none of them as busy${queue} (${runners.length})`
  return [
    { class: 'rollover-wedged', severity: 'critical', evidence: rollover.evidence, ...common },
    ...(rollover.isConfirmed
      ? [
          {
            class: 'stale-idle-listener-blocker',
            severity: 'warning' as const,
            evidence: [`these idle runners block the creation of a new listener: ${runners.join(', ')}`, jobless],
            ...common,
          },
        ]
      : []),
  ]
}

const FIRST =
  'the listener that records jobs is gone, so check each runner first: not busy at GitHub, no job in progress names it, no Runner.Worker in its pod'

/** Tested on a real ARC; if only some runners are deleted, ARC replaces them within seconds. */
export function describeFix({ set, runnerSets }: SetView, runners: readonly string[]): string {
  const check = `signalbox reap --policy wedge --set ${set.namespace}/${set.name} (--apply frees it); by hand: ${FIRST}`
  if (!isFreedByScaling(set.generation)) {
    const alone = set.generation === '0.15' ? ' (from 0.15 on nothing else protects a job from this)' : ''
    return `${check}${alone}; then all at once: kubectl -n ${set.namespace} delete ephemeralrunner ${runners.join(' ')}`
  }
  const existing = runnerSets.filter(({ deletedAt }) => deletedAt === null).map(({ name }) => name)
  const patches = existing.map(
    (name) =>
      `kubectl -n ${set.namespace} patch ephemeralrunnerset ${name} --type=merge -p '{"spec":{"replicas":0,"patchID":0}}'`,
  )
  return `${check}; then ${patches.join('; ') || 'restart the controller'}; afterwards run the controller with --update-strategy=immediate`
}

/** Not reported during a rollover, on a parked set, and on a set without a controller of its version. */
export function missingListeners(view: RuntimeView): readonly Finding[] {
  // A rollover removes the listener while jobs run, and only these lists show a rollover.
  const { saw } = view.fleet
  if (!saw('kubernetes/ephemeralrunners') || !saw('kubernetes/ephemeralrunnersets')) return []
  return view.sets.flatMap((own): readonly Finding[] => {
    if (!isListenerMissing(own)) return []
    const { set, listener } = own
    const down = view.controllers.filter(({ controller }) => controller.readyReplicas === 0)
    const [first] = view.controllers
    const place =
      first === undefined ? '' : ` (kubectl -n ${first.controller.namespace} logs deployment/${first.controller.name})`
    return [
      {
        class: 'listener-missing',
        severity: 'critical',
        subject: setSubject(set),
        evidence: [
          ...listener.evidence,
          ...down.map(
            ({ controller }) =>
              `the controller's Deployment ${controller.name} has no ready pod (${controller.replicas} desired)`,
          ),
        ],
        hint:
          down[0] === undefined
            ? `the controller creates it: its log shows why it does not${place}`
            : `kubectl -n ${down[0].controller.namespace} scale deployment ${down[0].controller.name} --replicas=1: the controller creates listeners`,
        fields: { scaleSet: set.name },
      },
    ]
  })
}

export function isListenerMissing({ set, listener, rollover, outdated, skew }: SetView): boolean {
  const isMissing = listener.condition === 'missing' || listener.condition === 'no-pod'
  return isMissing && set.deletedAt === null && rollover.kind === 'none' && outdated === null && skew === null
}

export function staleListeners(view: RuntimeView, stale: ReadonlyMap<string, StaleReference>): readonly Finding[] {
  return view.sets.flatMap(({ set, key, listener }): readonly Finding[] => {
    const reference = stale.get(key)
    if (reference === undefined) return []
    const name = listener.listener?.name ?? 'its listener'
    const remove = `kubectl -n ${listener.listener?.namespace ?? 'arc-systems'} delete autoscalinglistener ${name}`
    return [
      {
        class: 'listener-stale-reference',
        severity: 'warning',
        subject: setSubject(set),
        evidence: reference.evidence,
        hint:
          reference.kind === 'runner-set'
            ? `${remove} (the object, not only its pod): the controller re-creates it with the right name`
            : `kubectl -n ${set.namespace} annotate autoscalingrunnerset ${set.name} runner-scale-set-id- (the controller registers it again), then ${remove}`,
        fields: { scaleSet: set.name, reference: reference.kind },
      },
    ]
  })
}

export function skewedSets(view: RuntimeView): readonly Finding[] {
  return view.sets.flatMap(({ set, skew }): readonly Finding[] => {
    if (skew === null || set.deletedAt !== null) return []
    const theirs = [...new Set(skew.controllers.map(({ version }) => version ?? 'unknown'))]
    return [
      {
        class: 'version-skew',
        severity: 'warning',
        subject: setSubject(set),
        evidence: [
          `the set's label says ${skew.set}`,
          ...skew.controllers.map(
            ({ controller, version, by }) =>
              `controller ${controller.namespace}/${controller.name} is ${version ?? 'unknown'}, by ${by}`,
          ),
        ],
        hint: `a controller deletes sets of another version within a second of its start: do not start ${theirs.join(', ')} with this set; upgrade the chart of ${set.name} to the controller's version, or downgrade the controller to ${skew.set}`,
        fields: { scaleSet: set.name, setVersion: skew.set, controllerVersions: theirs },
      },
    ]
  })
}

export function outdatedRunners(view: RuntimeView): readonly Finding[] {
  return view.sets.flatMap((own): readonly Finding[] => {
    const { set, outdated, states } = own
    if (outdated === null) return []
    const common = {
      class: 'runner-outdated',
      severity: 'warning' as const,
      hint: `put a newer runner into the image of ${set.name} and roll it out: ARC disables the runner's self-update${set.phase === 'Outdated' ? '; a parked set comes back only after a change of its runner spec' : ''}`,
    }
    const setFinding: Finding = {
      ...common,
      subject: setSubject(set),
      evidence: [...outdated.evidence, `the set is ${printAge(set.createdAt, view.fleet.now)} old`],
      fields: { scaleSet: set.name },
    }
    return [
      setFinding,
      ...outdated.runners.flatMap(({ runner, evidence }) => {
        const state = states.find((one) => one.runner === runner)
        return state === undefined ? [] : [runnerFinding(state, { ...common, evidence })]
      }),
    ]
  })
}
