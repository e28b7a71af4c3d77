import { diagNotOnStdout } from './diag-log.ts'
import type { Companions } from './pull-secret.ts'
import { findCompanions } from './pull-secret.ts'
import {
  duplicateScaleSets,
  envelopeMismatches,
  eventualWithWarmRunners,
  minAboveMax,
  nameTooLong,
  pullSecretUnnamed,
  requiredVolumeMissing,
  tolerationMissing,
} from './set-findings.ts'
import { gracePeriodTooShort, imageUnpinned, limitsMissing, trapMissing } from './template-findings.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Audit, AuditClass } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

const CLASSES: readonly AuditClass[] = [
  {
    class: 'min-above-max',
    severity: 'warning',
    meaning: 'minRunners of a set is above its maxRunners',
    next: 'Lower minRunners.',
  },
  {
    class: 'envelope-mismatch',
    severity: 'warning',
    meaning: 'the sets of a lane allow more or fewer runners than it declares, as a whole or on a pool',
    next: 'Make maxRunners and the fleet file agree.',
  },
  {
    class: 'limits-missing',
    severity: 'warning',
    meaning: 'the runner container has no memory limit',
    next: 'Set one.',
  },
  {
    class: 'toleration-missing',
    severity: 'warning',
    meaning: 'every node that the set selects has a taint that it does not tolerate',
    next: 'Add the toleration to the template.',
  },
  {
    class: 'required-volume-missing',
    severity: 'warning',
    meaning: 'the template lacks a volume that the lane requires, or has it with another storage class',
    next: 'Declare the volume before jobs run on the set again.',
  },
  {
    class: 'name-too-long',
    severity: 'warning',
    meaning: 'the name of the set, or a name derived from it, is longer than Kubernetes or the chart allows',
    next: 'Shorten the name.',
  },
  {
    class: 'duplicate-scale-set',
    severity: 'warning',
    meaning: 'two sets have the same scope, group and name at GitHub: their listeners fight over one session',
    next: 'Give one of them another name or group.',
  },
  {
    class: 'eventual-with-warm-runners',
    severity: 'warning',
    meaning: 'with update strategy eventual (up to 0.14) a values change waits for idle runners forever',
    next: 'Set the update strategy to immediate.',
  },
  {
    class: 'image-unpinned',
    severity: 'warning',
    meaning: 'an image has neither a digest nor a tag other than latest',
    next: 'Use a version tag or a digest.',
  },
  {
    class: 'pull-secret-unnamed',
    severity: 'warning',
    meaning: 'the set references no pull secret although it needs one',
    next: 'Reference it in the template or the service account.',
  },
  {
    class: 'grace-period-too-short',
    severity: 'warning',
    meaning: 'a stopped runner has too little time to finish its job',
    next: 'Raise terminationGracePeriodSeconds.',
  },
  {
    class: 'trap-missing',
    severity: 'warning',
    meaning: "the runner's command is a shell or a script that does not forward SIGTERM to the runner",
    next: 'Use exec, or set RUNNER_MANUALLY_TRAP_SIG.',
  },
  {
    class: 'diag-not-on-stdout',
    severity: 'info',
    meaning: 'the runner does not print its _diag log, or another container has the variable for it',
    next: 'Set ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT=1 on container runner and on no other: what the runner says about its end then outlives the pod. The log grows.',
  },
]

function examineSet(fleet: Fleet, set: ScaleSet, companions: Companions): readonly Finding[] {
  return [
    ...minAboveMax(set),
    ...limitsMissing(fleet, set),
    ...tolerationMissing(fleet, set),
    ...requiredVolumeMissing(fleet, set),
    ...nameTooLong(set, fleet.thresholds),
    ...eventualWithWarmRunners(fleet, set),
    ...imageUnpinned(set),
    ...pullSecretUnnamed(fleet, set, companions),
    ...gracePeriodTooShort(fleet, set),
    ...trapMissing(set),
    ...diagNotOnStdout(set),
  ]
}

export const contract: Audit = {
  id: 'contract',
  asks: 'does the live fleet match the declared one?',
  about:
    'Compares the declared scale sets, from a cluster or from files, with the fleet file, the nodes and the limits of ARC and Kubernetes. It includes what a LimitRange or a service account adds, if those could be read. The official run.sh traps signals; a shell in front of it does not.',
  reads: [
    {
      source: 'kubernetes/autoscalingrunnersets',
      weight: 'needed',
      gives: 'the sets and their runner templates',
    },
    { source: 'kubernetes/deployments', weight: 'useful', gives: "the controller's update strategy" },
    { source: 'kubernetes/nodes', weight: 'useful', gives: 'the pools and their taints' },
    { source: 'kubernetes/limitranges', weight: 'useful', gives: 'default limits of a namespace' },
    { source: 'kubernetes/serviceaccounts', weight: 'useful', gives: 'pull secrets of a service account' },
    {
      source: 'kubernetes/storageclasses',
      weight: 'useful',
      gives: 'which classes exist, and which is the default',
    },
    { source: 'kubernetes/persistentvolumeclaims', weight: 'useful', gives: 'the class of a named claim' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', gives: 'where a runtime class places its pods' },
    { source: 'fleet', weight: 'useful', gives: 'lanes, envelopes, required volumes and pull secrets' },
  ],
  classes: CLASSES,
  applies: (fleet) =>
    !fleet.saw('kubernetes/autoscalingrunnersets') || fleet.sets.length > 0 || (fleet.declared.lanes ?? []).length > 0,
  examine: (fleet, question) => {
    if (!fleet.saw('kubernetes/autoscalingrunnersets')) return []
    const sets = new Set(askedSets(fleet, question))
    const companions = findCompanions(fleet.sets)
    const isWhole = question.labels.length + question.scaleSets.length === 0
    const lanes = fleet.lanes.filter((lane) => isWhole || lane.sets.some((set) => sets.has(set)))
    const subjects = new Set([...sets].map(({ namespace, name }) => `${namespace}/${name}`))
    return [
      ...[...sets].flatMap((set) => examineSet(fleet, set, companions)),
      ...duplicateScaleSets(fleet).filter(({ subject }) => subjects.has(`${subject.namespace}/${subject.name}`)),
      ...envelopeMismatches(fleet, lanes),
    ]
  },
}
