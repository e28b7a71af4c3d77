import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackgroundProcess } from './background-process.ts'
import { startProcess } from './background-process.ts'
import { containerdSocket } from './containerd.ts'
import type { Guard } from './guard.ts'
import { NODE_ADDRESS } from './node-address.ts'

export interface KubeletPlan {
  readonly program: string
  readonly nodeName: string
  readonly kubeconfig: string
  readonly configFile: string
}

export interface KubeletSettings {
  readonly folder: string
  readonly port: number
  readonly healthPort: number
  readonly cgroupPath: string
  /** Fields of KubeletConfiguration that win over the harness's own. */
  readonly overrides: Readonly<Record<string, unknown>>
}

export function kubeletRoot(folder: string): string {
  return join(folder, 'kubelet')
}

export function podLogsFolder(folder: string): string {
  return join(folder, 'pod-logs')
}

export function renderKubeletConfig(settings: KubeletSettings): string {
  const { folder } = settings
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: NODE_ADDRESS,
    port: settings.port,
    healthzBindAddress: '127.0.0.1',
    healthzPort: settings.healthPort,
    // Reachable only from this machine.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${containerdSocket(folder)}`,
    // Its own root in every hierarchy: two kubelets in one remove each other's pods as orphans.
    cgroupRoot: settings.cgroupPath,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: ['none'],
    podLogsDir: podLogsFolder(folder),
    volumePluginDir: join(folder, 'volume-plugins'),
    // The images cannot be pulled again, and a developer's full disk must not cause evictions.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    // A minute by default, which is how long a volume over its limit would wait for its eviction.
    volumeStatsAggPeriod: '5s',
    ...settings.overrides,
  }
  return JSON.stringify(config, null, 2)
}

export async function prepareKubelet(settings: KubeletSettings): Promise<string> {
  const configFile = join(settings.folder, 'kubelet.json')
  await mkdir(kubeletRoot(settings.folder), { recursive: true })
  await writeFile(configFile, renderKubeletConfig(settings))
  return configFile
}

export async function launchKubelet(guard: Guard, plan: KubeletPlan): Promise<BackgroundProcess> {
  return await startProcess(guard, {
    name: 'kubelet',
    program: plan.program,
    logsTo: 'journal',
    args: [
      `--kubeconfig=${plan.kubeconfig}`,
      `--config=${plan.configFile}`,
      `--root-dir=${kubeletRoot(guard.folder)}`,
      `--cert-dir=${join(guard.folder, 'kubelet-certificates')}`,
      `--hostname-override=${plan.nodeName}`,
      `--node-ip=${NODE_ADDRESS}`,
    ],
  })
}
