import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { installArc } from '#test/cluster/arc-crds.ts'
import { runOrThrow } from '#test/cluster/command.ts'
import { busyboxPod, createNamespace, createPod, podPath, untilPhase } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { CHART, missingForHelm, provideHelm, runHelm } from './helm.ts'
import { IMAGE, missingForImage, provideImage } from './image.ts'
import {
  LABELS,
  makeRefusedRunners,
  readMetrics,
  ofOurs,
  provideVolume,
  READY_MS,
  runGreedyRunner,
  describeState,
  untilAgentCalls,
  untilReady,
} from './on-the-cluster.ts'
import { provideNetwork, SERVICE_RANGE } from './pod-network.ts'
import { NAMESPACE, one, RELEASE, render, settings } from './render.ts'
import { grantedBy, usedBy } from './rights.ts'
import type { Rule } from './rights.ts'
import { describeUnless } from './suites.ts'

/** Alerts that this installation does not have. */
const OF_OWN_POOLS = /# \{\{ if \.Values\.dispatch\.enabled \}\}[^]*?# \{\{ end \}\}/
const PATIENT = { timeout: 240_000, interval: 1000 }
const BUILD_MS = 30 * 60_000
const TIMEOUT = { timeout: 600_000 }
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:${RELEASE}`

let archive: string

describeUnless(missingForHelm() ?? missingForImage(), 'the chart with the image on a real cluster', () => {
  beforeAll(async () => {
    await provideHelm()
    archive = await provideImage()
  }, BUILD_MS)

  describeWithPrivateNode(
    'installed by helm',
    (cluster) => {
      let runners: string
      let removeNetwork: () => Promise<void> = async () => {}

      beforeAll(async () => {
        const address = ['--address', cluster().node.containerdSocket, '-n', 'k8s.io']
        await runOrThrow('ctr', [...address, 'images', 'import', '--no-unpack', archive])
        await installArc(cluster())
        runners = await createNamespace(cluster(), 'runners')
        await cluster().callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } })
        removeNetwork = await provideNetwork(cluster(), NAMESPACE, RELEASE)
        await provideVolume(cluster())
      }, BUILD_MS)

      afterAll(() => removeNetwork())

      const helm = async (...args: readonly string[]): Promise<string> => {
        const outcome = await runHelm(args, cluster().folder, cluster().kubeconfig)
        if (outcome.code !== 0)
          throw new Error(`helm ${args.join(' ')}: ${outcome.stderr}\n${await describeState(cluster())}`)
        return outcome.stdout
      }
      const values = () => ({
        'image.repository': IMAGE.repository,
        'image.tag': IMAGE.tag,
        'image.pullPolicy': 'Never',
        'persistence.storageClass': '-',
        'agent.paths.podLogs': cluster().node.podLogs,
        'watch.allNamespaces': true,
      })
      const signalbox = (...args: readonly string[]) =>
        cluster().kubectl(['-n', NAMESPACE, 'exec', `deploy/${RELEASE}`, '--', 'signalbox', ...args])
      const deaths = async (): Promise<readonly TheDeath[]> => {
        const said = JSON.parse(await signalbox('deaths', '-o', 'json')) as { readonly deaths: readonly TheDeath[] }
        return said.deaths
      }
      const untilReported = (isMeant: (death: TheDeath) => boolean): Promise<TheDeath> =>
        until({
          what: 'the death to be reported',
          timeoutMs: READY_MS,
          probe: async () => (await deaths()).find(isMeant),
          explain: () => describeState(cluster()),
        })
      const authority = async (): Promise<string> => {
        const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/${RELEASE}-ca`
        const { data } = (await cluster().callOk({ path })) as { readonly data: Readonly<Record<string, string>> }
        return data['ca.crt'] ?? 'none'
      }

      test('becomes ready, and the agent of the node connects', TIMEOUT, async () => {
        const said = await helm('install', RELEASE, CHART, '-n', NAMESPACE, ...settings(values()))
        expect(said).toContain(`kubectl -n ${NAMESPACE} exec deploy/${RELEASE} -- signalbox deaths`)
        await untilReady(cluster())
        expect(await untilAgentCalls(cluster())).toContain('signalbox_node_open_files{')
      })

      test('reports why a runner died, with lines of the journal of its node', TIMEOUT, async () => {
        const name = 'linux-abcde-runner-oom'
        await runGreedyRunner(cluster(), { namespace: runners, name })
        const death = await untilReported((one) => one.pod === name && one.confidence > 0)
        expect(death).toMatchObject({ cause: 'oom-container', kind: 'death', pool: 'linux', node: cluster().node.name })
        expect(death.blind.filter(({ source }) => source.startsWith('journal/'))).toEqual([])
        expect(await signalbox('deaths')).toContain(name)
      })

      test('reports a runner that was force-deleted', TIMEOUT, async () => {
        const name = 'linux-abcde-runner-gone'
        const metadata = { name, namespace: runners, labels: LABELS }
        const script = 'echo "Running job: build"; exec sleep 600'
        const pod = busyboxPod({ name, namespace: runners, script, metadata, container: { name: 'runner' } })
        await createPod(cluster(), pod)
        await untilPhase(cluster(), { namespace: runners, name }, 'Running')
        await cluster().callOk({
          method: 'DELETE',
          path: `${podPath({ namespace: runners, name })}?gracePeriodSeconds=0`,
        })
        expect(await untilReported((one) => one.pod === name)).toMatchObject({
          node: cluster().node.name,
          missed: false,
        })
      })

      test('reports runners that a quota refused', TIMEOUT, async () => {
        const namespace = await createNamespace(cluster(), 'cramped')
        await makeRefusedRunners(cluster(), namespace)
        const kept = new Set<string>()
        await untilReported((one) => one.namespace === namespace && kept.add(one.uid).size === 3)
        const causes = (await deaths()).filter((one) => one.namespace === namespace).map(({ cause }) => cause)
        expect(causes).toEqual(['quota-exceeded', 'quota-exceeded', 'quota-exceeded'])
      })

      test('has every right that it needs, and none that it does not use', TIMEOUT, async () => {
        const roles = [`clusterroles/${RELEASE}`, `namespaces/${NAMESPACE}/roles/${RELEASE}-own`]
        const rules = roles.map(async (role) => {
          const path = `/apis/rbac.authorization.k8s.io/v1/${role}`
          return ((await cluster().callOk({ path })) as { readonly rules: readonly Rule[] }).rules
        })
        const granted = grantedBy((await Promise.all(rules)).flat())
        expect(granted).toContain('patch /configmaps')
        // Some rights are used at intervals, not at the start.
        await vi.waitFor(async () => {
          const { used } = await usedBy(cluster().auditLog, ACCOUNT)
          expect(granted.filter((right) => !used.includes(right))).toEqual([])
        }, PATIENT)
        expect((await usedBy(cluster().auditLog, ACCOUNT)).refused).toEqual([])
        const agent = await usedBy(cluster().auditLog, `system:serviceaccount:${NAMESPACE}:${RELEASE}-agent`)
        expect(agent).toEqual({ used: [], refused: [] })
      })

      test('has every metric and label that the dashboard and the alerts use', TIMEOUT, async () => {
        const [metrics, dashboard, alerts] = await Promise.all([
          readMetrics(cluster()),
          readFile(join(CHART, 'files', 'dashboard.json'), 'utf8'),
          readFile(join(CHART, 'files', 'alerts.yaml'), 'utf8'),
        ])
        const asked = `${dashboard}${alerts.replace(OF_OWN_POOLS, '')}`
        const names = new Set(asked.match(/\bsignalbox_[a-z_]+/g))
        expect(names.size).toBeGreaterThan(5)
        expect([...names].filter((name) => !new RegExp(`^${name}(?:\\{| )`, 'm').test(metrics))).toEqual([])
        const grouped = [...asked.matchAll(/ by \(([a-z, ]+)\) \((?:\w+\()*(signalbox_[a-z_]+)/g)]
        expect(grouped.length).toBeGreaterThan(5)
        const unknown = grouped.flatMap(([, labels = '', name]) =>
          labels.split(', ').filter((label) => !new RegExp(`^${name}\\{(?:.*,)?${label}="`, 'm').test(metrics)),
        )
        expect(unknown).toEqual([])
      })

      test('has a server that the API server accepts under the restricted pod security level', TIMEOUT, async () => {
        const namespace = await createNamespace(cluster(), 'restricted')
        const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
        const path = `/api/v1/namespaces/${namespace}`
        const contentType = 'application/merge-patch+json'
        await cluster().callOk({ method: 'PATCH', path, body: { metadata: { labels } }, contentType })
        const manifests = await render(cluster().folder, values())
        const admit = async (kind: string, name: string) => {
          const { spec } = one(manifests, kind, name) as unknown as {
            readonly spec: { readonly template: { readonly spec: object } }
          }
          const body = { metadata: { name: 'probe' }, spec: { ...spec.template.spec, serviceAccountName: 'default' } }
          return cluster().call({ method: 'POST', path: `${path}/pods?dryRun=All`, body })
        }
        expect(await admit('Deployment', RELEASE)).toMatchObject({ status: 201 })
        // The agent reads files of its node, which this level forbids.
        expect((await admit('DaemonSet', `${RELEASE}-agent`)).text).toContain('violates PodSecurity')
      })

      test('keeps its deaths and its certificate when it is upgraded', TIMEOUT, async () => {
        const [before, known] = [await authority(), (await deaths()).map(({ uid }) => uid)]
        const watch = { 'watch.allNamespaces': false, 'watch.namespaces': [runners] }
        const changed = { ...values(), ...watch, 'agent.podAnnotations': { changed: 'yes' } }
        await helm('upgrade', RELEASE, CHART, '-n', NAMESPACE, ...settings(changed))
        await untilReady(cluster())
        expect(await signalbox('config', 'print')).toMatch(new RegExp(`kubernetes\\.namespaces\\s+.*${runners}`))
        expect((await deaths()).map(({ uid }) => uid)).toEqual(expect.arrayContaining(known))
        expect(known.length).toBeGreaterThan(1)
        expect(before).toContain('BEGIN CERTIFICATE')
        expect(await authority()).toBe(before)
        const secrets = await cluster().kubectl(['get', 'secrets', '-n', NAMESPACE, '-o', 'name'])
        expect(secrets.split('\n').filter((name) => name !== '' && !name.includes('helm'))).toEqual([])
      })

      test('needs only Roles when namespaces are named', TIMEOUT, async () => {
        const name = 'linux-abcde-runner-next'
        await untilAgentCalls(cluster())
        await runGreedyRunner(cluster(), { namespace: runners, name })
        const death = await untilReported((one) => one.pod === name && one.confidence > 0)
        expect(death).toMatchObject({ cause: 'oom-container', missed: false })
        expect(death.blind.filter(({ source }) => /^(?:journal|logs|kubernetes\/(?!audit))/.test(source))).toEqual([])
        expect((await usedBy(cluster().auditLog, ACCOUNT)).refused).toEqual([])
        expect(await signalbox('why', name)).toContain('oom-container (death)')
      })

      test('leaves nothing behind when it is uninstalled', TIMEOUT, async () => {
        expect((await ofOurs(cluster())).length).toBeGreaterThan(10)
        await helm('uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m')
        await until({
          what: 'all objects to be gone',
          timeoutMs: READY_MS,
          probe: async () => ((await ofOurs(cluster())).length === 0 ? true : undefined),
          explain: async () => (await ofOurs(cluster())).join('\n'),
        })
        const secrets = await cluster().kubectl(['get', 'secrets,configmaps', '-n', NAMESPACE, '-o', 'name'])
        expect(secrets.split('\n').filter((name) => /signalbox|helm/.test(name))).toEqual([])
      })
    },
    { apiServerFlags: [`--service-cluster-ip-range=${SERVICE_RANGE}`] },
  )
})

type TheDeath = {
  readonly uid: string
  readonly namespace: string
  readonly pod: string
  readonly cause: string
  readonly kind: string
  readonly confidence: number
  readonly blind: readonly { readonly source: string }[]
}
