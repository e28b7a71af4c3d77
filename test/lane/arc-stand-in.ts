import { laneActs } from '#/adapters/kubernetes/acts.ts'
import type { KubernetesConnection } from '#/adapters/kubernetes/connect.ts'
import { seen } from '#/core/basics/observed.ts'
import { numberAt, textAt } from '#/core/basics/fields.ts'
import type { LaneActs } from '#/ports/kubernetes-acts.ts'
import type { LaneReads } from '#/runtime/lane/read-lane.ts'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import type { RecordedSet, Uids } from '#test/cluster/recorded-arc.ts'
import { recordedPod } from '#test/cluster/recorded-arc.ts'

const SYSTEMS = 'arc-systems'
const LISTENERS = `/apis/actions.github.com/v1alpha1/namespaces/${SYSTEMS}/autoscalinglisteners`
const MERGE = 'application/merge-patch+json'

type Made = { readonly recorded: RecordedSet; readonly uids: Uids; readonly kubernetes: KubernetesConnection }

/** ARC's reaction to a change of the bounds, as it was recorded: a new value in the listener, and a new pod of the same name. */
export function arcStandIn(cluster: ControlPlane, { recorded, uids, kubernetes }: Made) {
  const name = recorded.listeners[0]?.metadata.name ?? ''
  const setPath = `/apis/actions.github.com/v1alpha1/namespaces/${recorded.namespace}/autoscalingrunnersets/${recorded.name}`
  const pods = `/api/v1/namespaces/${SYSTEMS}/pods`

  const startListener = async (): Promise<void> => {
    const pod = recordedPod({ recorded, name, uids, script: 'true' })
    await cluster.callOk({ method: 'POST', path: pods, body: pod })
    const running = { name: 'listener', ready: true, restartCount: 0, image: 'x', imageID: 'x' }
    const state = { running: { startedAt: new Date().toISOString() } }
    const status = { phase: 'Running', containerStatuses: [{ ...running, state }] }
    await cluster.callOk({ method: 'PATCH', path: `${pods}/${name}/status`, contentType: MERGE, body: { status } })
  }

  const react = async (): Promise<void> => {
    const set = await cluster.callOk({ path: setPath })
    const spec = {
      minRunners: numberAt(set, 'spec', 'minRunners') ?? 0,
      maxRunners: numberAt(set, 'spec', 'maxRunners') ?? 2_147_483_647,
    }
    await cluster.callOk({ method: 'PATCH', path: `${LISTENERS}/${name}`, contentType: MERGE, body: { spec } })
    await cluster.callOk({ method: 'DELETE', path: `${pods}/${name}?gracePeriodSeconds=0` })
    await startListener()
  }

  const sayBounds: LaneReads['kubernetes']['logTail'] = async () => {
    const listener = await cluster.callOk({ path: `${LISTENERS}/${name}` })
    const [min, max] = [numberAt(listener, 'spec', 'minRunners') ?? 0, numberAt(listener, 'spec', 'maxRunners') ?? 0]
    const line = `msg="Calculated target runner count" component=worker "assigned job"=0 decision=0 min=${min} max=${max} currentRunnerCount=0`
    return seen({ text: `2026-11-15T20:47:12.281893347Z ${line}\n`, cut: false })
  }

  const acts = laneActs(kubernetes)
  const reacting: Pick<LaneActs, 'setCap'> = {
    setCap: async (target, change, signal) => {
      const outcome = await acts.setCap(target, change, signal)
      if (outcome.kind === 'done') await react()
      return outcome
    },
  }
  return {
    startListener,
    acts: reacting,
    read: { get: kubernetes.get, list: kubernetes.list, logTail: sayBounds },
    /** As somebody with kubectl does. */
    setByHand: async (spec: object): Promise<void> => {
      await cluster.callOk({ method: 'PATCH', path: setPath, contentType: MERGE, body: { spec } })
    },
    readSet: async () => {
      const set = await cluster.callOk({ path: setPath })
      return {
        min: numberAt(set, 'spec', 'minRunners'),
        max: numberAt(set, 'spec', 'maxRunners'),
        quiesced: textAt(set, 'metadata', 'annotations', 'signalbox.dev/lane-quiesced'),
        cap: textAt(set, 'metadata', 'annotations', 'signalbox.dev/lane-cap'),
      }
    },
    countRunners: async (): Promise<number> => {
      const path = `/apis/actions.github.com/v1alpha1/namespaces/${recorded.namespace}/ephemeralrunners`
      return ((await cluster.callOk({ path })) as { readonly items: readonly unknown[] }).items.length
    },
  }
}
