import type { Container, Pod, PodSpec, Volume, VolumeMount } from 'kubernetes-types/core/v1.d.ts'
import { BUSYBOX_IMAGE } from '#test/cluster/busybox-image.ts'
import type { ControlPlane } from '#test/cluster/control-plane.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { createPod } from '#test/cluster/pods.ts'
import type { RunnerFiles, RunnerPlay } from './runner-script.ts'
import { runnerFiles } from './runner-script.ts'

export type RunnerPod = {
  readonly play: RunnerPlay
  /** The limit and the request alike. */
  readonly memory?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly { readonly volume: Volume; readonly mountPath: string }[]
  /** Merged over what the builder writes, one level deep. */
  readonly container?: Partial<Container>
  readonly spec?: Partial<PodSpec>
}

export const RUNNER_VERSION = '2.335.1'
const EXECUTABLE = 0o755

/** Makes the runner's files and its pod, labelled as those of a scale set are. */
export async function createRunner(cluster: ControlPlane, name: PodName, plan: RunnerPod): Promise<Pod> {
  await createFiles(cluster, name, runnerFiles(plan.play))
  return await createPod(cluster, runnerPod(name, plan))
}

async function createFiles(cluster: ControlPlane, { namespace, name }: PodName, data: RunnerFiles): Promise<void> {
  const body = { metadata: { name: buildFiles(name) }, data }
  await cluster.callOk({ method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps`, body })
}

function buildFiles(pod: string): string {
  return `${pod}-home`
}

export function runnerPod({ namespace, name }: PodName, plan: RunnerPod): Pod {
  const more = plan.volumes ?? []
  const { play, environment = {} } = plan
  const fixed = { RUNNER_VERSION, ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT: '1' }
  const env = { ...fixed, ...(play.trapsTerm ? { RUNNER_MANUALLY_TRAP_SIG: '1' } : {}), ...environment }
  const memory = plan.memory ?? '128Mi'
  const runner: Container = {
    name: 'runner',
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: ['/home/runner/run.sh'],
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    resources: { limits: { memory }, requests: { cpu: '20m', memory } },
    volumeMounts: [...HOME_MOUNTS, ...more.map(({ volume, mountPath }) => ({ name: volume.name, mountPath }))],
    ...plan.container,
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels: buildLabels(name) },
    spec: {
      // The node has no pod network.
      hostNetwork: true,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [runner],
      volumes: [homeVolume(name), ...more.map(({ volume }) => volume)],
      ...plan.spec,
    },
  }
}

const HOME_MOUNTS: readonly VolumeMount[] = [
  { name: 'home', mountPath: '/home/runner/run.sh', subPath: 'run.sh' },
  { name: 'home', mountPath: '/home/runner/bin' },
]

function homeVolume(pod: string): Volume {
  return { name: 'home', configMap: { name: buildFiles(pod), defaultMode: EXECUTABLE } }
}

/** A runner of a scale set is called after it: `linux-4x8-k2xvq-runner-7hn4d`. */
export function toScaleSet(runner: string): string {
  return runner.replace(/-\w+-runner-\w+$/, '')
}

export function buildLabels(name: string): Record<string, string> {
  return {
    'actions-ephemeral-runner': 'True',
    'actions.github.com/scale-set-name': toScaleSet(name),
    'app.kubernetes.io/component': 'runner',
    'app.kubernetes.io/part-of': 'gha-runner-scale-set',
  }
}
