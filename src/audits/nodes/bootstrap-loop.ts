import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { PodRecord } from '#/core/kubernetes/pod-record.ts'
import { everRan } from '#/core/kubernetes/pod-record.ts'
import { systemRole } from '#/core/fleet/system-pod.ts'
import { restartsSince } from './daemon-restarts.ts'
import type { MachineTrouble } from './machine-trouble.ts'
import { isBootstrapFailure, machineFailings } from './machine-trouble.ts'
import type { Failing } from './failing.ts'
import { countFailing } from './failing.ts'
import type { NodeView } from './view.ts'

/** Everything that failed. A loop is one thing that failed often enough: a sum would count a reboot twice, because it also starts the kubelet. */
export function listFailings(
  view: NodeView,
  fleet: Fleet,
  { behind, isNeverStarting }: { readonly behind: MachineTrouble | null; readonly isNeverStarting: boolean },
): readonly Failing[] {
  const since = fleet.now - fleet.thresholds.bootstrapLoopWindow
  const pending = view.events.filter((event) => isPending(event, view, fleet))
  const nodeEvents = view.events.filter(({ kind }) => kind === 'Node')
  return [
    ...machineFailings(behind, since),
    countFailing('it could not be set up', nodeEvents.filter(isBootstrapFailure), since),
    countFailing('its kubelet started', nodeEvents.filter(isKubeletStart), since),
    countFailing('its container runtime started', nodeEvents.filter(isRuntimeStart), since),
    countFailing(
      'it rebooted',
      nodeEvents.filter(({ reason }) => reason === 'Rebooted'),
      since,
    ),
    countFailing('it was removed from the cluster and came back', nodeEvents.filter(isRemoval), since),
    // never-starts-pods reports them with the pods.
    ...(isNeverStarting ? [] : podFailings(pending, since)),
    ...daemonFailings(view, since),
  ].filter(({ times }) => times > 0)
}

function podFailings(pending: readonly EventFacts[], since: number): readonly Failing[] {
  const unready = pending.filter(({ reason }) => reason === 'NetworkNotReady')
  return [
    countFailing('a pod could not be set up on it', pending.filter(isSetupFailure), since),
    countFailing('its network was not ready for a pod', unready, since),
  ]
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
function isPending({ kind, namespace, name, uid, lastAt }: EventFacts, { lastStart }: NodeView, fleet: Fleet): boolean {
  if (kind !== 'Pod' || lastAt === null || lastStart.at > lastAt) return false
  const pod = fleet.podAt(namespace ?? 'default', name ?? '')
  return pod === null || (uid !== null && pod.uid !== uid) || !everRan(pod)
}

function daemonFailings({ pods, podEvents }: NodeView, since: number): readonly Failing[] {
  return pods.filter(isNeeded).map((pod) => ({
    what: `${pod.namespace}/${pod.name} was restarted`,
    times: restartsSince(pod, podEvents(pod), since),
    message: describeLastEnd(pod),
  }))
}

function isNeeded(pod: PodRecord): boolean {
  const role = systemRole(pod)
  return (role === 'cni' || role === 'csi') && pod.lastSeenAt === null
}

function describeLastEnd({ containers }: PodRecord): string | null {
  for (const { name, last } of containers) {
    if (last.kind === 'terminated')
      return `${name} ended with exit code ${last.exitCode ?? '?'}, ${last.reason ?? 'no reason'}`
  }
  return null
}
