import type { LabelDrift } from './drift.ts'
import { findDrift, listenersBySet } from './drift.ts'
import type { Unplaceable } from './overflow.ts'
import { unplaceable } from './overflow.ts'
import type { Placements, PoolShare, Share, SharedLabel } from './shared-label.ts'
import { listOwners, findPlacements, listPools, listScopes, sharedLabels } from './shared-label.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Listener, ScaleSet } from '#/core/fleet/scale-set.ts'

const labelSubject = ({ label }: Pick<SharedLabel, 'label'>) => ({ kind: 'Label', name: label })
const setLabel = ({ namespace, name }: ScaleSet): string => `${namespace}/${name}`
const describeMax = (max: number | null): string => (max === null ? 'no maximum' : `maximum ${max}`)

function shareFields(share: Share) {
  return { name: share.name, scaleSets: share.sets.map(setLabel), maxRunners: share.max }
}

function spansOwners(label: SharedLabel, owners: readonly Share[]): readonly Finding[] {
  if (owners.length < 2) return []
  const scopes = listScopes(label)
  return [
    {
      class: 'label-spans-owners',
      severity: 'info',
      subject: labelSubject(label),
      evidence: [
        ...owners.map(
          ({ name, sets, max }) => `${name} serves it with ${sets.map(setLabel).join(', ')} (${describeMax(max)})`,
        ),
        ...scopes.map(({ name, sets }) => `registered with ${name}: ${sets.map(setLabel).join(', ')}`),
      ],
      hint:
        scopes.length > 1
          ? `treat ${label.label} as ${scopes.length} queues: a job reaches only the sets of its own scope, and a free runner in one does not help another`
          : `${label.label} is one queue for ${owners.length} owners, and GitHub has no priorities: signalbox audit burst shows who holds it`,
      fields: { owners: owners.map(shareFields), scopes: scopes.map(shareFields) },
    },
  ]
}

function spansPools(label: SharedLabel, pools: readonly PoolShare[]): readonly Finding[] {
  if (pools.length < 2) return []
  return [
    {
      class: 'label-spans-pools',
      severity: 'info',
      subject: labelSubject(label),
      evidence: pools.map(
        ({ name, role, sets, max }) =>
          `pool ${name} (${role}) runs ${sets.map(setLabel).join(', ')} (${describeMax(max)})`,
      ),
      hint: `check the room for ${label.label} per pool, not for the whole cluster: signalbox audit capacity`,
      fields: { pools: pools.map((share) => ({ ...shareFields(share), role: share.role })) },
    },
  ]
}

const WANTED = {
  toleration: (taints: string) => `template.spec.tolerations for ${taints}`,
  selector: () => "template.spec.nodeSelector with the pool's labels",
  both: (taints: string) =>
    `template.spec.nodeSelector with the pool's labels and template.spec.tolerations for ${taints}`,
} as const

function overflowUnplaceable({ label, pool, set, missing, taints, declared }: Unplaceable): Finding {
  const who = set === null ? `no set of ${label}` : setLabel(set)
  const marks = taints.join(', ') || 'no taint'
  const texts = {
    toleration: `${who} selects pool ${pool.name} but tolerates none of ${marks}`,
    selector: `${who} tolerates ${marks} but selects no node of pool ${pool.name}`,
    both: `${who} selects pool ${pool.name} (${marks})`,
  }
  return {
    class: 'overflow-unplaceable',
    severity: 'warning',
    subject: labelSubject({ label }),
    evidence: [
      texts[missing],
      `pool ${pool.name} is declared as overflow and has ${pool.nodes.length} nodes`,
      ...(declared === null ? [] : [`the lane declares ${declared} runners on it`]),
    ],
    hint: `in the values of ${set === null ? `a set of ${label}` : set.name} set ${WANTED[missing](marks)}: overflow needs both selector and toleration`,
    fields: {
      pool: pool.name,
      missing,
      taints,
      declared,
      ...(set === null ? {} : { scaleSet: set.name, namespace: set.namespace }),
    },
  }
}

function drifted(label: SharedLabel, drift: LabelDrift): Finding {
  const { declaredMax, liveMax, isMaxOff, missing, undeclared, stale } = drift
  return {
    class: 'declared-vs-live-drift',
    severity: 'warning',
    subject: labelSubject(label),
    evidence: [
      ...(isMaxOff
        ? [`declaredMax is ${declaredMax}, the sets allow ${liveMax === null ? 'any number' : liveMax} together`]
        : []),
      ...missing.map((name) => `scale set ${name} is declared but does not exist`),
      ...undeclared.map(
        (set) => `${setLabel(set)} serves the label (${describeMax(set.maxRunners)}) but is not declared`,
      ),
      ...stale.map(
        ({ set, listener }) =>
          `listener ${listener.name} uses ${listener.minRunners} to ${listener.maxRunners ?? 'any number'}, ${setLabel(set)} says ${set.minRunners} to ${set.maxRunners ?? 'any number'}`,
      ),
    ],
    hint:
      stale.length > 0 && !isMaxOff && missing.length + undeclared.length === 0
        ? `check why the controller does not replace the listener: signalbox audit runtime; signalbox preflight shows whether the set is settled`
        : `decide which one is right, then change maxRunners in the values or lane ${label.label} in the fleet file (signalbox fleet check)`,
    fields: {
      declaredMax,
      liveMax,
      missing,
      undeclared: undeclared.map(setLabel),
      staleListeners: stale.map(({ listener }) => listener.name),
    },
  }
}

type LabelView = {
  readonly placements: Placements
  readonly listeners: ReadonlyMap<string, Listener>
  readonly runtimeClasses: readonly Fields[]
}

function examineLabel(fleet: Fleet, label: SharedLabel, view: LabelView): readonly Finding[] {
  const drift = findDrift(label, fleet.declared, view.listeners)
  return [
    ...spansOwners(label, listOwners(fleet, label)),
    ...spansPools(label, listPools(label, view.placements)),
    ...unplaceable(label, view.placements, view.runtimeClasses).map(overflowUnplaceable),
    ...(drift === null ? [] : [drifted(label, drift)]),
  ]
}

export const labels: Audit = {
  id: 'labels',
  asks: 'who shares a label, on which nodes, under which owners?',
  about:
    'Groups the scale sets by their runs-on labels. The owner comes from the fleet file, else it is the organisation or repository that a set is registered with. GitHub shares a label only within one such scope and runner group, so one label can be several queues. Pools are those that fit the runners (selector, affinity, tolerations) and those that run them now. Overflow counts as placeable only with both a selector and a toleration.',
  reads: [
    {
      source: 'kubernetes/autoscalingrunnersets',
      weight: 'needed',
      gives: 'which sets serve a label, and for which scope',
    },
    { source: 'kubernetes/nodes', weight: 'needed', gives: 'the pools, with their labels and taints' },
    {
      source: 'kubernetes/autoscalinglisteners',
      weight: 'useful',
      gives: 'the minimum and maximum that the listeners use',
    },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'which set a runner belongs to' },
    { source: 'kubernetes/pods', weight: 'useful', gives: 'on which nodes the runners are' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', gives: 'where a runtime class places its pods' },
    { source: 'fleet', weight: 'useful', gives: 'declared owners, pools, lanes and maxima' },
  ],
  classes: [
    {
      class: 'label-spans-owners',
      severity: 'info',
      meaning: 'several owners serve the same label',
      next: 'Treat it as one queue per scope; a free runner of one owner does not help the other.',
    },
    {
      class: 'label-spans-pools',
      severity: 'info',
      meaning: 'runners of the label are on several node pools',
      next: 'Check its room per pool.',
    },
    {
      class: 'overflow-unplaceable',
      severity: 'warning',
      meaning: 'a set is meant for an overflow pool but lacks the selector or the toleration',
      next: 'Give the set both.',
    },
    {
      class: 'declared-vs-live-drift',
      severity: 'warning',
      meaning: 'the sets of a label, or their maxima, differ from the fleet file',
      next: 'Decide which one is right, and change the other.',
    },
  ],
  applies: (fleet) =>
    !fleet.saw('kubernetes/autoscalingrunnersets') || fleet.sets.length > 0 || (fleet.declared.lanes ?? []).length > 0,
  examine: (fleet, question) => {
    if (!fleet.saw('kubernetes/autoscalingrunnersets')) return []
    const shared = sharedLabels(fleet, question)
    const placements = findPlacements(fleet, shared)
    const listeners = listenersBySet(fleet.listeners)
    const runtimeClasses = fleet.rows('runtimeclasses')
    return shared.flatMap((label) => examineLabel(fleet, label, { placements, listeners, runtimeClasses }))
  },
}
