import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { everRan } from '#/core/kubernetes/pod-record.ts'
import { systemRole } from '#/core/fleet/system-pod.ts'
import { restartsSince } from './daemon-restarts.ts'
import type { MachineTrouble } from './machine-trouble.ts'
import { isBootstrapFailure, machineFailings } from './machine-trouble.ts'
import type { Failing } from './failing.ts'
import { failing } from './failing.ts'
import type { NodeScene } from './scene.ts'

/** Everything that failed. A loop is one thing that failed often enough: a sum would count a reboot twice, because it also starts the kubelet. */
export function failingOn(scene: NodeScene, fleet: Fleet, behind: MachineTrouble | null): readonly Failing[] {
  const since = fleet.now - fleet.thresholds.bootstrapLoopWindow
  const pending = scene.events.filter((event) => isPending(event, scene, fleet))
  const ofNode = scene.events.filter(({ kind }) => kind === 'Node')
  return [
    ...machineFailings(behind, since),
    failing('it could not be set up', ofNode.filter(isBootstrapFailure), since),
    failing('its kubelet started', ofNode.filter(isKubeletStart), since),
    failing('its container runtime started', ofNode.filter(isRuntimeStart), since),
    failing(
      'it rebooted',
      ofNode.filter(({ reason }) => reason === 'Rebooted'),
      since,
    ),
    failing('it was removed from the cluster and came back', ofNode.filter(isRemoval), since),
    failing('a pod could not be set up on it', pending.filter(isSetupFailure), since),
    failing(
      'its network was not ready for a pod',
      pending.filter(({ reason }) => reason === 'NetworkNotReady'),
      since,
    ),
    ...daemonsOf(scene, since),
  ].filter(({ times }) => times > 0)
}

function isKubeletStart({ reason, message, reporter }: EventFacts): boolean {
  if (reason === 'KubeletSetupFailed') return true
  return reason === 'Starting' && (reporter === 'kubelet' || /kubelet/i.test(message))
}

/** Events of the node problem detector. */
function isRuntimeStart({ reason }: EventFacts): boolean {
  return /^(?:Containerd|Docker|CRIO)Start$/i.test(reason)
}

function isRemoval({ reason }: EventFacts): boolean {
  return reason === 'RemovingNode' || reason === 'DeletingNode'
}

function isSetupFailure({ reason }: EventFacts): boolean {
  return reason === 'FailedCreatePodSandBox' || reason === 'FailedCreatePodContainer'
}

/** A new node refuses pods until its network is ready. Failures before the last pod start do not count. */
function isPending(
  { kind, namespace, name, uid, lastAt }: EventFacts,
  { lastStart }: NodeScene,
  fleet: Fleet,
): boolean {
  if (kind !== 'Pod' || lastAt === null || lastStart.at > lastAt) return false
  const pod = fleet.podAt(namespace ?? 'default', name ?? '')
  return pod === null || (uid !== null && pod.uid !== uid) || !everRan(pod)
}

function daemonsOf({ pods, eventsOf }: NodeScene, since: number): readonly Failing[] {
  return pods.filter(isNeeded).map((pod) => ({
    what: `${pod.namespace}/${pod.name} was restarted`,
    times: restartsSince(pod, eventsOf(pod), since),
    word: lastWords(pod),
  }))
}

function isNeeded(pod: PodRecord): boolean {
  const role = systemRole(pod)
  return (role === 'cni' || role === 'csi') && pod.lastSeenAt === null
}

function lastWords({ containers }: PodRecord): string | null {
  for (const { name, last } of containers) {
    if (last.kind === 'terminated')
      return `${name} ended with exit code ${last.exitCode ?? '?'}, ${last.reason ?? 'no reason'}`
  }
  return null
}
