import { basename } from 'node:path'
import type { BackgroundProcess } from './background-process.ts'
import { untilServing } from './background-process.ts'
import type { CgroupRoot } from './cgroup.ts'
import { cgroupRoot, createCgroups } from './cgroup.ts'
import { containerdSocket, importImages, launchContainerd, prepareContainerd } from './containerd.ts'
import type { ControlPlane } from './control-plane.ts'
import { NODE_NAME, nodeUser } from './credentials.ts'
import { freePorts } from './free-port.ts'
import type { Guard } from './guard.ts'
import type { Journal } from './journal.ts'
import { kubeletRoot, launchKubelet, podLogsFolder, prepareKubelet } from './kubelet.ts'
import type { KubernetesBinaries } from './kubernetes-binaries.ts'
import { SHARED_FOLDERS, prepareMachine } from './machine.ts'
import { settled, until } from './until.ts'

/** Who prepared the machine: the node itself, or the test run for all of its nodes (machine.ts). */
export type MachineOwner = 'this-node' | 'test-run'

export interface NodeOptions {
  /** Default `this-node`. */
  readonly machine?: MachineOwner
  /** Fields of KubeletConfiguration, for example `evictionHard`. */
  readonly kubeletConfig?: Readonly<Record<string, unknown>>
  /** Default `localhost`. */
  readonly nodeName?: string
}

/** A kubelet with its containerd. Both log to the journal, as `kubelet` and `containerd`. */
export interface ClusterNode {
  readonly name: string
  readonly containerdSocket: string
  /** Where pods have their volumes: `pods/<uid>/volumes`. */
  readonly kubeletRoot: string
  readonly podLogs: string
  readonly cgroups: CgroupRoot
  readonly journal: Journal
  readonly kubeletPid: () => number
  readonly containerdPid: () => number
  /** SIGKILL; the pods' processes keep running. */
  readonly killKubelet: () => Promise<void>
  readonly startKubelet: () => Promise<void>
  readonly killContainerd: () => Promise<void>
  readonly startContainerd: () => Promise<void>
}

export interface NodePlan {
  readonly guard: Guard
  readonly binaries: KubernetesBinaries
  readonly controlPlane: ControlPlane
  readonly runtime: NodeRuntime
  readonly options: NodeOptions
}

const READY_TIMEOUT_MS = 180_000

/** The parts of a node that need no API server and can start at the same time as one. */
export interface NodeRuntime {
  readonly cgroups: CgroupRoot
  readonly journal: Journal
  readonly containerd: BackgroundProcess
}

export async function startRuntime(guard: Guard, machine: MachineOwner): Promise<NodeRuntime> {
  const { folder } = guard
  const cgroups = cgroupRoot(basename(folder))
  // Before it is made, so that the guardian removes it whatever happens next.
  guard.record({ kind: 'cgroup', name: basename(folder) })
  const [journal] = await settled([journalFor(guard, machine), createCgroups(cgroups), prepareContainerd(folder)])
  const containerd = await launchContainerd(guard)
  await importImages(guard)
  return { cgroups, journal, containerd }
}

export async function startNode({ guard, binaries, controlPlane, runtime, options }: NodePlan): Promise<ClusterNode> {
  const { folder } = guard
  const { cgroups, journal } = runtime
  let { containerd } = runtime
  const name = options.nodeName ?? NODE_NAME
  const kubeconfig = await controlPlane.kubeconfigFor(nodeUser(name).name)
  const [port = 0, healthPort = 0] = await freePorts(2)
  const overrides = options.kubeletConfig ?? {}
  const configFile = await prepareKubelet({ folder, port, healthPort, cgroupPath: cgroups.path, overrides })
  const plan = { program: binaries.kubelet, nodeName: name, kubeconfig, configFile }
  let kubelet = await launchKubelet(guard, plan)
  await untilServing(kubelet, READY_TIMEOUT_MS, () => nodeIsReady(controlPlane, name))
  return {
    name,
    containerdSocket: containerdSocket(folder),
    kubeletRoot: kubeletRoot(folder),
    podLogs: podLogsFolder(folder),
    cgroups,
    journal,
    kubeletPid: () => kubelet.pid,
    containerdPid: () => containerd.pid,
    killKubelet: () => kubelet.kill(),
    startKubelet: async () => {
      if (!kubelet.hasExited()) throw new Error('the kubelet runs already')
      kubelet = await launchKubelet(guard, plan)
      await untilServing(kubelet, READY_TIMEOUT_MS, () => kubeletIsHealthy(healthPort))
    },
    killContainerd: () => containerd.kill(),
    startContainerd: async () => {
      if (!containerd.hasExited()) throw new Error('containerd runs already')
      containerd = await launchContainerd(guard)
    },
  }
}

/** The kubelet has its first measurements a while after the node is ready. */
export async function untilMeasured(cluster: ControlPlane & { readonly node: ClusterNode }): Promise<void> {
  const path = `/api/v1/nodes/${cluster.node.name}/proxy/stats/summary`
  await until({
    what: 'the statistics of the node',
    timeoutMs: READY_TIMEOUT_MS,
    explain: async () => (await cluster.call({ path })).text,
    probe: async () => ((await cluster.call({ path })).status === 200 ? true : undefined),
  })
}

async function journalFor(guard: Guard, machine: MachineOwner): Promise<Journal> {
  if (machine === 'this-node') return await prepareMachine(guard)
  for (const path of SHARED_FOLDERS) guard.record({ kind: 'links-in', path })
  return { kind: 'of-the-machine' }
}

interface NodeStatus {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function nodeIsReady(controlPlane: ControlPlane, name: string): Promise<boolean> {
  const answer = await controlPlane.call({ path: `/api/v1/nodes/${name}` }).catch(() => undefined)
  if (answer?.status !== 200) return false
  const node = JSON.parse(answer.text) as NodeStatus
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

/** A restarted kubelet: its node object may still say Ready from before, so the kubelet itself is checked. */
async function kubeletIsHealthy(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
  return answer?.ok === true
}
