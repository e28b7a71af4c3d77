import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { Thresholds } from '#/core/fleet-file/thresholds.ts'
import { derivedNames } from './derived-names.ts'
import { duplicates } from './duplicates.ts'
import { envelopeMismatch } from './envelope.ts'
import type { Companions } from './pull-secret.ts'
import { unnamedSecret } from './pull-secret.ts'
import { setSubject, valuesName } from './runner-template.ts'
import { missingToleration } from './tolerations.ts'
import { eventualController } from './update-strategy.ts'
import { missingVolumes } from './volumes.ts'

export function minAboveMax(set: ScaleSet): readonly Finding[] {
  const { minRunners, maxRunners } = set
  if (maxRunners === null || minRunners <= maxRunners) return []
  return [
    {
      class: 'min-above-max',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [`minRunners is ${minRunners}, maxRunners is ${maxRunners}`],
      hint: `set minRunners to ${maxRunners} or less in ${valuesName(set)}`,
      fields: { minRunners, maxRunners },
    },
  ]
}

export function nameTooLong(set: ScaleSet, limits: Thresholds): readonly Finding[] {
  const own = [...new Set([set.name, set.runsOn[0] ?? set.name])].filter(
    (name) => name.length > limits.scaleSetNameLength,
  )
  const derived = derivedNames(set).filter(({ length }) => length > limits.derivedNameLength)
  if (own.length + derived.length === 0) return []
  const shorter = Math.max(
    ...own.map((name) => name.length - limits.scaleSetNameLength),
    ...derived.map(({ length }) => length - limits.derivedNameLength),
  )
  return [
    {
      class: 'name-too-long',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        ...own.map((name) => `${name} has ${name.length} characters, ${limits.scaleSetNameLength} are allowed`),
        ...derived.map(
          ({ what, pattern, length }) =>
            `its ${what} would be ${pattern} with ${length} characters, ${limits.derivedNameLength} are allowed`,
        ),
        ...(derived.some(({ what }) => what === 'job pod')
          ? ['the hooks truncate the runner name, so two runners can get the same job pod name']
          : []),
      ],
      hint: `shorten runnerScaleSetName by ${shorter} characters (workflows use it in runs-on: keep the old set until they are changed)`,
      fields: {
        length: Math.max(set.name.length, set.runsOn[0]?.length ?? 0),
        derived: derived.map(({ what, length }) => ({ what, length })),
      },
    },
  ]
}

export function duplicateScaleSets(fleet: Fleet): readonly Finding[] {
  return duplicates(fleet.sets).map(({ set, others }) => ({
    class: 'duplicate-scale-set',
    severity: 'warning',
    subject: setSubject(set),
    evidence: [set, ...others].map(
      ({ namespace, name, configUrl, runnerGroup, runsOn }) =>
        `${namespace}/${name} registers ${runsOn[0]} with ${configUrl}, group ${runnerGroup ?? 'default'}`,
    ),
    hint: `give one of them another runnerScaleSetName or runnerGroup: GitHub allows one session per scale set, and the second listener gets 409`,
    fields: { others: others.map(({ namespace, name }) => `${namespace}/${name}`) },
  }))
}

export function eventualWithWarmRunners(fleet: Fleet, set: ScaleSet): readonly Finding[] {
  const controller = eventualController(set, fleet.controllers)
  if (controller === null) return []
  const { minRunners } = set
  return [
    {
      class: 'eventual-with-warm-runners',
      severity: minRunners > 0 ? 'warning' : 'info',
      subject: setSubject(set),
      evidence: [
        `controller ${controller.namespace}/${controller.name} (${controller.version ?? 'version unknown'}) runs with --update-strategy=eventual`,
        minRunners > 0
          ? `minRunners is ${minRunners}: a values change waits for idle runners that never end`
          : 'minRunners is 0: a values change while jobs run wedges the set too',
      ],
      hint: `set flags.updateStrategy to immediate in the values of ${controller.name} (its default); until then run signalbox preflight before each change of ${set.name}`,
      fields: { minRunners, controller: `${controller.namespace}/${controller.name}`, version: controller.version },
    },
  ]
}

export function tolerationMissing(fleet: Fleet, set: ScaleSet): readonly Finding[] {
  const missing = missingToleration(fleet, set)
  if (missing === null) return []
  const { pools, nodes, taints } = missing
  return [
    {
      class: 'toleration-missing',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        `${nodes.length} nodes of pool ${pools.join(', ')} have taint ${taints.join(', ')}`,
        'its template has no toleration for it',
      ],
      hint: `add ${taints.map(tolerationFor).join(', ')} to template.spec.tolerations in ${valuesName(set)}`,
      fields: { pools, taints, nodes: nodes.length },
    },
  ]
}

/** Turns a printed `key=value:effect` into the YAML of a toleration. */
function tolerationFor(taint: string): string {
  const colon = taint.lastIndexOf(':')
  const [key = '', ...value] = taint.slice(0, colon).split('=')
  const effect = taint.slice(colon + 1)
  return value.length === 0
    ? `{key: ${key}, operator: Exists, effect: ${effect}}`
    : `{key: ${key}, operator: Equal, value: ${value.join('=')}, effect: ${effect}}`
}

export function requiredVolumeMissing(fleet: Fleet, set: ScaleSet): readonly Finding[] {
  const missing = missingVolumes(fleet, set)
  const [first] = missing
  if (first === undefined) return []
  return [
    {
      class: 'required-volume-missing',
      severity: 'warning',
      subject: setSubject(set),
      evidence: missing.map(({ why }) => why),
      hint: `declare ${first.name} under template.spec.volumes in ${valuesName(set)} as ephemeral.volumeClaimTemplate${
        first.storageClass === null ? '' : ` with storageClassName: ${first.storageClass}`
      }, before jobs run on it again`,
      fields: { volumes: missing.map(({ name, storageClass }) => ({ name, storageClass })) },
    },
  ]
}

export function pullSecretUnnamed(fleet: Fleet, set: ScaleSet, companions: Companions): readonly Finding[] {
  const unnamed = unnamedSecret(fleet, set, companions)
  if (unnamed === null) return []
  const { wanted, why } = unnamed
  return [
    {
      class: 'pull-secret-unnamed',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        why,
        fleet.saw('kubernetes/serviceaccounts')
          ? 'neither its template nor its service account references it'
          : 'its template does not reference it; service accounts were not read',
      ],
      hint: `add ${wanted[0]} to template.spec.imagePullSecrets in ${valuesName(set)}; signalbox pull-secrets check compares the copies`,
      fields: { secrets: wanted },
    },
  ]
}

export function envelopeMismatches(fleet: Fleet, lanes: readonly Lane[]): readonly Finding[] {
  return lanes.flatMap((lane) => {
    const mismatch = envelopeMismatch(fleet, lane)
    if (mismatch === null) return []
    const { declaredMax, liveMax, pools, why } = mismatch
    return [
      {
        class: 'envelope-mismatch',
        severity: 'warning',
        subject: { kind: 'Lane', name: lane.label },
        evidence: why,
        hint: `make maxRunners of ${lane.sets.map(({ name }) => name).join(', ') || 'its sets'} and lane ${lane.label} of the fleet file agree; signalbox audit capacity shows what fits`,
        fields: { declaredMax, liveMax, pools },
      } as const,
    ]
  })
}
