import { at, listAt, textAt } from '#/core/basics/fields.ts'
import type { DeclaredVolume } from '#/core/fleet-file/fleet-file.ts'
import { holdsRoom } from '#/core/fleet/node-room.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import type { LaneView, BurstView } from './view.ts'
import type { Limit, Limiter } from './limiter.ts'
import { latest, toLimiter } from './unschedulable.ts'
import { count, listSome } from './format.ts'

/** Work volumes of runners: not provisioned for starting ones, or missing from running ones. */
export const scratchVolume: Limiter = (view, numbers) => {
  const refused = numbers.unschedulable.filter(({ objections }) => toLimiter(objections) === 'volume')
  const unmounted = view.pods.flatMap((pod) => mountTrouble(pod, view) ?? [])
  const [first] = [...refused.map(({ pod, message }) => ({ pod, message })), ...unmounted]
  if (first === undefined) return regression(view)
  const { pod, message } = first
  const claims = listClaims(pod, view.burst).filter(({ phase }) => phase !== 'Bound')
  return {
    class: 'missing-scratch-volume',
    admits: view.pods.filter(({ phase }) => phase === 'Running').length,
    evidence: [
      `${count(refused.length + unmounted.length, 'runner pod waits', 'runner pods wait')} for a volume: ${message}`,
      ...claims.map(
        ({ name, storageClass, phase }) =>
          `claim ${name} of class ${storageClass ?? '(default)'} is ${phase ?? 'missing'}`,
      ),
      ...missingClasses(view).map((name) => `there is no StorageClass ${name}`),
    ],
    hint: `kubectl describe pvc -n ${pod.namespace} ${claims[0]?.name ?? ''}; fix the storage class of the runner's volumes before you change anything else`.replace(
      '  ',
      ' ',
    ),
    fields: { pods: refused.length + unmounted.length },
  }
}

/** A runner without the volume that its lane must have fills the node's own disk. */
export function regression({ lane, pods, fleet, burst }: LaneView): Limit | null {
  if (!fleet.saw('kubernetes/pods')) return null
  const active = pods.filter((pod) => pod.node !== null && pod.deletedAt === null && holdsRoom(pod))
  const lacking = active.flatMap((pod) =>
    lane.requiredVolumes.filter((volume) => !hasVolume(pod, volume, burst)).map((volume) => ({ pod, volume })),
  )
  const [first] = lacking
  if (first === undefined) return null
  const names = [...new Set(lacking.map(({ pod }) => pod.name))]
  return {
    class: 'missing-scratch-volume',
    admits: active.length - names.length,
    evidence: [
      `${count(names.length, 'active runner')} of lane ${lane.label} ${names.length === 1 ? 'lacks' : 'lack'} a volume that the lane must have: ${listSome(names)}`,
      `${first.pod.name} has no volume ${first.volume.name}${first.volume.storageClass === undefined ? '' : ` of class ${first.volume.storageClass}`}`,
    ],
    hint: `put the volume ${first.volume.name}${first.volume.storageClass === undefined ? '' : ` (storageClassName ${first.volume.storageClass})`} back into the template of ${lane.sets.map(({ name }) => name).join(', ')} in source before you re-run jobs; signalbox audit contract`,
    fields: { pods: names.length },
  }
}

function hasVolume(pod: PodRecord, { name, storageClass }: DeclaredVolume, burst: BurstView): boolean {
  const volume = listAt(pod.spec, 'volumes').find((one) => textAt(one, 'name') === name)
  if (volume === undefined) return false
  if (storageClass === undefined) return true
  const claim = listClaims(pod, burst).find((one) => one.volume === name)
  return claim?.storageClass === storageClass
}

type Claim = {
  readonly volume: string
  readonly name: string
  readonly storageClass: string | null
  readonly phase: string | null
}

/** A pod's volume claims: from the cluster, else from its spec. */
function listClaims(pod: PodRecord, burst: BurstView): readonly Claim[] {
  return listAt(pod.spec, 'volumes').flatMap((volume): readonly Claim[] => {
    const own = textAt(volume, 'name') ?? ''
    const asked = at(volume, 'ephemeral', 'volumeClaimTemplate', 'spec')
    const name = asked === undefined ? textAt(volume, 'persistentVolumeClaim', 'claimName') : `${pod.name}-${own}`
    if (name === null) return []
    const claim = burst.claimAt(pod.namespace, name)
    return [
      {
        volume: own,
        name,
        storageClass: textAt(claim, 'spec', 'storageClassName') ?? textAt(asked, 'storageClassName'),
        phase: textAt(claim, 'status', 'phase'),
      },
    ]
  })
}

/** Storage classes that the lane's templates name and the cluster lacks; none if classes could not be read. */
export function missingClasses({ fleet, sets }: LaneView): readonly string[] {
  if (!fleet.saw('kubernetes/storageclasses')) return []
  const there = new Set(fleet.rows('storageclasses').map((row) => textAt(row, 'metadata', 'name')))
  const asked = sets.flatMap(({ template }) =>
    listAt(template, 'volumes').flatMap(
      (volume) => textAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'storageClassName') ?? [],
    ),
  )
  return [...new Set(asked)].filter((name) => !there.has(name))
}

/** The pod has a node but its volume cannot be mounted. Mount errors of Secrets and ConfigMaps do not count. */
function mountTrouble(
  pod: PodRecord,
  { burst }: LaneView,
): { readonly pod: PodRecord; readonly message: string } | null {
  if (pod.node === null || pod.phase !== 'Pending' || pod.deletedAt !== null) return null
  const claims = listClaims(pod, burst)
  if (claims.length === 0) return null
  const event = latest(
    burst
      .podEvents(pod)
      .filter(
        ({ reason, message }) =>
          reason === 'FailedAttachVolume' ||
          (reason === 'FailedMount' && claims.some((claim) => isAbout(message, claim))),
      ),
  )
  return event === null ? null : { pod, message: event.message }
}

function isAbout(message: string, { volume, name }: Claim): boolean {
  return ['"pvc-', `"${volume}"`, `[${volume}`, name].some((part) => message.includes(part))
}
