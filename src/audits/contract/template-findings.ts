import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, textAt } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'
import { readLimitRange, withDefaults } from '#/core/kubernetes/limit-range.ts'
import { wasRefused } from '#/core/audit/refused.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { shortGrace } from './grace.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import { setSubject, valuesName } from './runner-template.ts'
import { TRAP_VARIABLE, untrapped } from './trap.ts'

/** A LimitRange may set the limit; if LimitRanges could not be read, there is no finding. */
export function limitsMissing(fleet: Fleet, set: ScaleSet): readonly Finding[] {
  if (wasRefused(fleet, 'kubernetes/limitranges')) return []
  const ranges = fleet.rows('limitranges').map(readLimitRange)
  const spec = withDefaults(
    set.template,
    ranges.filter(({ namespace }) => namespace === set.namespace),
  )
  const runner = templateRunner(spec)
  if (runner === null || hasMemoryLimit(runner) || hasMemoryLimit(spec)) return []
  const others = unlimited(spec).filter((name) => name !== 'runner')
  return [
    {
      class: 'limits-missing',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        'container runner has no memory limit: one job can use all memory of its node',
        ...(others.length === 0 ? [] : [`nor has ${others.join(', ')}`]),
        fleet.saw('kubernetes/limitranges')
          ? `no LimitRange of ${set.namespace} sets one`
          : 'LimitRanges were not read',
      ],
      hint: `set template.spec.containers[name=runner].resources.limits.memory in ${valuesName(set)}`,
      fields: { resource: 'memory', containers: ['runner', ...others] },
    },
  ]
}

/** Works for a container and for a pod. */
function hasMemoryLimit(holder: unknown): boolean {
  return toFields(at(holder, 'resources', 'limits'))['memory'] !== undefined
}

function unlimited(spec: Fields): readonly string[] {
  const sidecars = listAt(spec, 'initContainers').filter((one) => textAt(one, 'restartPolicy') === 'Always')
  return [...listAt(spec, 'containers'), ...sidecars]
    .filter((container) => !hasMemoryLimit(container))
    .map((container) => textAt(container, 'name') ?? '')
}

export function imageUnpinned(set: ScaleSet): readonly Finding[] {
  const containers = [...listAt(set.template, 'containers'), ...listAt(set.template, 'initContainers')]
  const loose = containers.flatMap((container) => {
    const image = textAt(container, 'image')
    return image === null || isPinned(image) ? [] : [{ container: textAt(container, 'name') ?? '', image }]
  })
  if (loose.length === 0) return []
  return [
    {
      class: 'image-unpinned',
      severity: 'warning',
      subject: setSubject(set),
      evidence: loose.map(({ container, image }) => `container ${container} runs ${image}`),
      hint: `use a version tag or a digest in ${valuesName(set)}: ${loose[0]?.image} can change at any time, and two runners of one set may differ`,
      fields: { images: loose },
    },
  ]
}

/** A digest, or a tag other than `latest`. */
function isPinned(image: string): boolean {
  const { tag, digest } = parseImage(image)
  return digest !== null || (tag !== null && tag !== 'latest')
}

export function gracePeriodTooShort(fleet: Fleet, set: ScaleSet): readonly Finding[] {
  const short = shortGrace(set, fleet.thresholds.gracePeriod)
  if (short === null) return []
  const { seconds, wanted, askedBy, isDefault } = short
  return [
    {
      class: 'grace-period-too-short',
      severity: isDefault ? 'info' : 'warning',
      subject: setSubject(set),
      evidence: [
        isDefault || set.template['terminationGracePeriodSeconds'] === undefined
          ? `terminationGracePeriodSeconds is not set: Kubernetes gives ${seconds} s`
          : `terminationGracePeriodSeconds is ${seconds}`,
        askedBy === null ? `a runner needs ${wanted} s to finish its job` : `${askedBy} is ${wanted} s`,
      ],
      hint: `set template.spec.terminationGracePeriodSeconds to ${wanted} or more in ${valuesName(set)}`,
      fields: { seconds, wanted },
    },
  ]
}

export function trapMissing(set: ScaleSet): readonly Finding[] {
  const why = untrapped(templateRunner(set.template))
  if (why === null) return []
  return [
    {
      class: 'trap-missing',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [why, `container runner has no ${TRAP_VARIABLE}`, 'the first process does not forward SIGTERM'],
      hint: `end the command of container runner with exec, or set ${TRAP_VARIABLE}=1 in its env, in ${valuesName(set)}`,
    },
  ]
}
