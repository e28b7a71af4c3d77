import { join } from 'node:path'
import type { BackgroundProcess } from './background-process.ts'
import { startProcess, untilServing } from './background-process.ts'
import type { ControlPlane } from './control-plane.ts'
import { SYSTEM_USERS } from './credentials.ts'
import { freePorts } from './free-port.ts'
import type { Guard } from './guard.ts'
import type { KubernetesBinaries } from './kubernetes-binaries.ts'

export interface ControllerPlan {
  readonly guard: Guard
  readonly binaries: KubernetesBinaries
  readonly controlPlane: ControlPlane
  readonly extraFlags: readonly string[]
}

const START_TIMEOUT_MS = 180_000

type Controller = 'kube-controller-manager' | 'kube-scheduler'

/** Default service accounts, garbage collection, disruption budgets, node life cycle. */
export async function startControllerManager(plan: ControllerPlan): Promise<BackgroundProcess> {
  const { controlPlane } = plan
  const process = await startController('kube-controller-manager', plan, [
    // Each controller has its own identity, so that the audit log names the one that acted.
    '--use-service-account-credentials=true',
    `--root-ca-file=${controlPlane.certificateAuthorityFile}`,
    `--service-account-private-key-file=${controlPlane.serviceAccountKey}`,
  ])
  // Without this account no pod is accepted; it also shows that the controllers run.
  await untilServing(process, START_TIMEOUT_MS, async () => {
    const account = { path: '/api/v1/namespaces/default/serviceaccounts/default' }
    return (await controlPlane.call(account).catch(() => undefined))?.status === 200
  })
  return process
}

export async function startScheduler(plan: ControllerPlan): Promise<BackgroundProcess> {
  return await startController('kube-scheduler', plan, [])
}

async function startController(
  name: Controller,
  plan: ControllerPlan,
  ownFlags: readonly string[],
): Promise<BackgroundProcess> {
  const kubeconfig = await plan.controlPlane.kubeconfigFor(SYSTEM_USERS[name].name)
  const [port] = await freePorts(1)
  return await startProcess(plan.guard, {
    name,
    program: plan.binaries[name],
    logsTo: 'file',
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      // The default limit of 20 requests a second makes its start 5 s longer.
      '--kube-api-qps=500',
      '--kube-api-burst=1000',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(plan.guard.folder, name)}`,
      ...ownFlags,
      ...plan.extraFlags,
    ],
  })
}
