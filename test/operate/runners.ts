import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ARC_KINDS, createObject } from '#test/cluster/arc-crds.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createPod, untilLogged, untilPhase } from '#test/cluster/pods.ts'

export const SET = 'linux'
export const [IDLE, BUSY] = ['linux-x7k2p-runner-idle1', 'linux-x7k2p-runner-busy1'] as const

/** As the runner's own: a program of this name that lasts. */
const start = (name: string, args: string): string =>
  `printf '#!/bin/sh\\nsleep 3600; :\\n' > /tmp/${name}; chmod +x /tmp/${name}; /tmp/${name} ${args} &`
/** The script itself is an argument of the shell: that of one that waits must not name a worker. */
export function runnerScript({
  works = false,
  says = 'Listening for Jobs',
}: { readonly works?: boolean; readonly says?: string } = {}): string {
  const worker = works ? `${start('Runner.Worker', 'spawnclient 1 2')} ` : ''
  return `${worker}${start('Runner.Listener', 'run')} echo '${says}'; wait`
}

/** Two runners that GitHub lists as offline and not busy: one waits, one works. With the files that `reap` is given. */
export async function installRunners(
  cluster: NodeCluster,
  { runners, folder }: { readonly runners: string; readonly folder: string },
): Promise<void> {
  const githubConfigUrl = 'https://github.com/acme'
  const labels = { 'actions.github.com/scale-set-name': SET, 'actions.github.com/scale-set-namespace': runners }
  const metadata = { labels: { ...labels, 'app.kubernetes.io/version': '0.14.2' } }
  await createObject(cluster, ARC_KINDS.autoscalingRunnerSet, {
    namespace: runners,
    name: SET,
    metadata,
    spec: { githubConfigUrl, maxRunners: 4 },
    status: { phase: 'Running' },
  })
  await createObject(cluster, ARC_KINDS.ephemeralRunnerSet, {
    namespace: runners,
    name: 'linux-x7k2p',
    metadata,
    spec: { replicas: 2 },
  })
  for (const [name, script] of [
    [IDLE, runnerScript()],
    [BUSY, runnerScript({ works: true })],
  ] as const) {
    await createObject(cluster, ARC_KINDS.ephemeralRunner, {
      namespace: runners,
      name,
      metadata,
      spec: { githubConfigUrl },
      status: { phase: 'Running', ready: true, runnerId: name === IDLE ? 7 : 8, runnerName: name },
    })
    const path = `/apis/actions.github.com/v1alpha1/namespaces/${runners}/ephemeralrunners/${name}`
    const owner = (await cluster.callOk({ path })) as { readonly metadata: { readonly uid: string } }
    const ownerReferences = [
      {
        apiVersion: 'actions.github.com/v1alpha1',
        kind: 'EphemeralRunner',
        name,
        uid: owner.metadata.uid,
        controller: true,
      },
    ]
    const own = { name, namespace: runners, labels: { ...labels, 'actions-ephemeral-runner': 'True' }, ownerReferences }
    await createPod(
      cluster,
      busyboxPod({ namespace: runners, name, script, metadata: own, container: { name: 'runner' } }),
    )
  }
  for (const name of [IDLE, BUSY]) {
    await untilPhase(cluster, { namespace: runners, name }, 'Running')
    await untilLogged(cluster, { namespace: runners, name }, { container: 'runner', text: 'Listening for Jobs' })
  }
  const offline = [IDLE, BUSY].map((name, index) => ({
    id: index + 7,
    name,
    os: 'linux',
    status: 'offline',
    busy: false,
    labels: [],
  }))
  const online = { id: 1, name: 'another', os: 'linux', status: 'online', busy: false, labels: [] }
  await writeFile(join(folder, 'runners.json'), JSON.stringify({ total_count: 3, runners: [...offline, online] }))
  await writeFile(
    join(folder, 'fleet.yaml'),
    'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nmetadata: { name: test }\nspec:\n  thresholds: { justStarted: 1s, githubFileAge: 2h }\n',
  )
}
