import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import { ARC_KINDS, createObject, installArc, installKinds } from '#test/cluster/arc-crds.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { untilMeasured } from '#test/cluster/node.ts'
import { busyboxPod, createNamespace, createPod, untilLogged, untilPhase } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { gathered } from '#test/collect/gathered.ts'
import { connectBy } from '#test/contracts/kubernetes-means.ts'
import { createObserver, readGrants, nameOfGrant } from '#test/collect/observer.ts'

const TIMEOUT = { timeout: 300_000 }
/** Split, so that no scanner takes it for a real one. */
const TOKEN = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')
const NODE = 'localhost'
const GRANTS = readGrants('clusterrole.yaml')

const RUNNER = 'linux-8x16-k2xvq-runner-7hn4d'
const LISTENER = 'linux-8x16-b94c957d-listener'
const CONTROLLER = 'arc-gha-rs-controller-0'
const [RUNNERS, SYSTEMS] = ['arc-runners', 'arc-systems']

/** Further sources that become blind with a list; other sources are named after the resource. */
const LOGS = [
  `logs/${RUNNERS}/${RUNNER}/runner`,
  `logs/${SYSTEMS}/${CONTROLLER}/manager`,
  `logs/${SYSTEMS}/${LISTENER}/listener`,
]
const BLIND: Readonly<Record<string, readonly string[]>> = {
  'list pods': ['kubernetes/pods', 'logs'],
  'get pods/log': ['logs', ...LOGS],
  'list nodes': ['kubernetes/configz', 'kubernetes/nodes', 'kubernetes/stats'],
  'get nodes/proxy': [`kubernetes/configz/${NODE}`, `kubernetes/stats/${NODE}`],
  'list autoscalingrunnersets.actions.github.com': ['kubernetes/autoscalingrunnersets', 'kubernetes/secrets'],
}

const REMOVALS = GRANTS.map((grant, index) => {
  const name = nameOfGrant(grant)
  return { without: name, blind: BLIND[name] ?? [`kubernetes/${grant.resource}`], index }
})

type Source = { readonly source: string; readonly ok: boolean; readonly reason: string | null }

let folder: string
let observers: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-observe-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function collected(kubeconfig: string, name: string): Promise<readonly Source[]> {
  const args = ['collect', '-o', `${folder}/${name}/`, '--kubeconfig', kubeconfig, '--summary', 'json']
  const ran = await runSignalbox(args)
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`${folder}/${name}`)])
  return (JSON.parse(ran.stdout) as { readonly sources: readonly Source[] }).sources
}

/** The same in this process, because there are many runs. */
async function seenWith(kubeconfig: string): Promise<readonly Source[]> {
  await using kubernetes = connectBy(kubeconfig)
  const { meta } = await gathered({ kubernetes })
  return [...meta.sources].map(([name, answer]) => ({
    source: name,
    ok: answer.kind === 'looked',
    reason: answer.kind === 'blind' ? answer.reason : null,
  }))
}

/** Only sources of the cluster: there is no credential for GitHub. */
function blindOnes(sources: readonly Source[]): readonly string[] {
  const ofCluster = sources.filter(({ source }) => !source.startsWith('github/'))
  return ofCluster.filter(({ ok }) => !ok).map(({ source }) => source)
}

async function opened(name: string): Promise<Bundle> {
  const opening = await openBundle(join(folder, name), BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'opened') return opening.bundle
  throw new Error(opening.why)
}

describeWithPrivateNode('a fleet that is collected with the rights of deploy/observe', (cluster) => {
  const observer = (name: string, without: number | null, secretsIn = [RUNNERS, SYSTEMS]): Promise<string> => {
    const grants = GRANTS.filter((_, index) => index !== without)
    return createObserver(cluster(), { name, namespace: observers, grants, secretsIn, folder })
  }

  beforeAll(async () => {
    observers = await createNamespace(cluster(), 'observers')
    await installFleet(cluster())
    await untilMeasured(cluster())
  }, 400_000)

  test('has no blind source of the cluster', TIMEOUT, async () => {
    const sources = await collected(await observer('whole', null), 'whole')
    expect(blindOnes(sources)).toEqual([])
    await using bundle = await opened('whole')
    expect(await bundle.stats(NODE)).toMatchObject({ kind: 'seen', value: { node: { nodeName: NODE } } })
    expect(await bundle.configz(NODE)).toMatchObject({ kind: 'seen' })
    expect(bundle.logs()).toMatchObject({ kind: 'seen', value: { length: 3 } })
    const own = { namespace: RUNNERS, pod: RUNNER, container: 'runner', previous: false }
    expect(await bundle.log(own)).toMatchObject({ value: expect.stringContaining('Listening for Jobs') as string })
    const rows = async (name: 'ephemeralrunners' | 'autoscalinglisteners'): Promise<readonly unknown[]> => {
      const list = await bundle.list(name)
      return list.kind === 'seen' ? list.value.map(({ metadata }) => metadata.name) : []
    }
    expect([await rows('ephemeralrunners'), await rows('autoscalinglisteners')]).toEqual([[RUNNER], [LISTENER]])
  })

  test('has only the Secrets that matter, and only their digests', TIMEOUT, async () => {
    await using bundle = await opened('whole')
    const secrets = await bundle.list('secrets')
    if (secrets.kind !== 'seen') throw new Error(JSON.stringify(secrets))
    expect(secrets.value.map(({ metadata }) => metadata.name)).toEqual(['acme-app', 'ghcr-pull'])
    const [app, pull] = secrets.value
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string
    expect(app?.['data']).toEqual({ github_token: digest })
    const registries = textAt(pull, 'metadata', 'annotations', 'signalbox.dev/registries') ?? '{}'
    expect(JSON.parse(registries)).toEqual({ 'ghcr.io': digest })
    expect(JSON.stringify(secrets.value)).not.toContain(Buffer.from(TOKEN).toString('base64').slice(0, 20))
    expect(JSON.stringify(secrets.value)).not.toContain(TOKEN)
  })

  test('is blind for Secrets without the right, and only for them', TIMEOUT, async () => {
    const sources = await collected(await observer('secretless', null, []), 'secretless')
    expect(blindOnes(sources)).toEqual(['kubernetes/secrets'])
    expect(sources.find(({ source }) => source === 'kubernetes/secrets')?.reason).toMatch(/^forbidden: /)
  })

  for (const { without, blind, index } of REMOVALS) {
    test(`without ${without} is blind for ${blind.join(', ')}`, TIMEOUT, async () => {
      const sources = await seenWith(await observer(`without-${index}`, index))
      expect(blindOnes(sources).toSorted()).toEqual([...blind].toSorted())
      const reasons = sources.filter(({ source }) => blind.includes(source)).map(({ reason }) => reason)
      for (const reason of reasons) expect(reason).toMatch(/^forbidden: /)
    })
  }
})

async function installFleet(cluster: NodeCluster): Promise<void> {
  await installArc(cluster)
  const beta = { version: 'v1beta1', group: 'cluster.x-k8s.io', plural: 'machines', kind: 'Machine' }
  const pools = { version: 'v1alpha1', group: 'signalbox.dev', plural: 'runnerpools', kind: 'RunnerPool' }
  await installKinds(cluster, [beta, pools])
  for (const name of [RUNNERS, SYSTEMS]) {
    await cluster.callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
    await until({
      what: `the service account of ${name}`,
      timeoutMs: 120_000,
      probe: async () => {
        const path = `/api/v1/namespaces/${name}/serviceaccounts/default`
        return (await cluster.call({ path })).status === 200 ? true : undefined
      },
    })
  }
  await createSecrets(cluster)
  await createArcObjects(cluster)
  await createPods(cluster)
}

async function createSecrets({ callOk }: NodeCluster): Promise<void> {
  const create = (name: string, type: string, stringData: object): Promise<unknown> => {
    const body = { metadata: { name }, type, stringData }
    return callOk({ method: 'POST', path: `/api/v1/namespaces/${RUNNERS}/secrets`, body })
  }
  const auths = { 'ghcr.io': { username: 'bot', password: TOKEN } }
  await create('ghcr-pull', 'kubernetes.io/dockerconfigjson', { '.dockerconfigjson': JSON.stringify({ auths }) })
  await create('acme-app', 'Opaque', { github_token: TOKEN })
  await create('nobodys-business', 'Opaque', { password: TOKEN })
}

const SET = { 'actions.github.com/scale-set-name': 'linux-8x16', 'actions.github.com/scale-set-namespace': RUNNERS }

async function createArcObjects(cluster: NodeCluster): Promise<void> {
  const githubConfigUrl = 'https://github.com/acme'
  const metadata = { labels: { ...SET, 'app.kubernetes.io/version': '0.14.2' } }
  const template = { spec: { containers: [{ name: 'runner', image: 'x' }] } }
  await createObject(cluster, ARC_KINDS.autoscalingRunnerSet, {
    namespace: RUNNERS,
    name: 'linux-8x16',
    metadata,
    spec: { githubConfigUrl, githubConfigSecret: 'acme-app', minRunners: 1, maxRunners: 4, template },
    status: { phase: 'Running' },
  })
  await createObject(cluster, ARC_KINDS.ephemeralRunnerSet, { namespace: RUNNERS, name: 'linux-8x16-k2xvq', metadata })
  await createObject(cluster, ARC_KINDS.ephemeralRunner, {
    namespace: RUNNERS,
    name: RUNNER,
    metadata,
    spec: { githubConfigUrl },
    status: { phase: 'Running', ready: true, runnerId: 7, runnerName: RUNNER },
  })
  await createObject(cluster, ARC_KINDS.autoscalingListener, {
    namespace: SYSTEMS,
    name: LISTENER,
    metadata,
    spec: { autoscalingRunnerSetName: 'linux-8x16', autoscalingRunnerSetNamespace: RUNNERS },
  })
}

async function createPods(cluster: NodeCluster): Promise<void> {
  const listener = {
    ...SET,
    'app.kubernetes.io/part-of': 'gha-runner-scale-set',
    'app.kubernetes.io/component': 'runner-scale-set-listener',
  }
  const pods = [
    {
      namespace: SYSTEMS,
      name: CONTROLLER,
      container: 'manager',
      labels: { 'app.kubernetes.io/part-of': 'gha-rs-controller' },
    },
    { namespace: SYSTEMS, name: LISTENER, container: 'listener', labels: listener },
    { namespace: RUNNERS, name: RUNNER, container: 'runner', labels: { ...SET, 'actions-ephemeral-runner': 'True' } },
    { namespace: RUNNERS, name: 'somebody-else', container: 'main', labels: {} },
  ]
  for (const { namespace, name, container, labels } of pods) {
    const script = 'echo "Listening for Jobs"; exec sleep 600'
    const metadata = { name, namespace, labels }
    await createPod(cluster, busyboxPod({ namespace, name, script, metadata, container: { name: container } }))
  }
  for (const { namespace, name, container } of pods) {
    await untilPhase(cluster, { namespace, name }, 'Running')
    await untilLogged(cluster, { namespace, name }, { container, text: 'Listening for Jobs' })
  }
}
