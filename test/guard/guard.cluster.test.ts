import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createObserver, readGrants } from '#test/collect/observer.ts'
import type { Grant } from '#test/collect/observer.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import { run } from '#test/cluster/command.ts'
import { busyboxPod, createPod, readPod } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { usedBy } from '#test/deploy/rights.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { expectRemovable, expectShown } from './commands.ts'
import { printAttempts } from './attempts.ts'
import type { Attempt } from './attempts.ts'
import {
  createRunnerNamespaces,
  finishJob,
  recordPath,
  runGuard,
  startRunner,
  untilAudited,
  untilBare,
  untilGone,
  untilRecordStamped,
  untilRefused,
  untilStamped,
} from './guarded-runners.ts'

const TIMEOUT = { timeout: 600_000 }
const PAGE = resolve(import.meta.dirname, '..', '..', 'docs', 'guard.md')
const database = await testDatabase()

/** As the chart gives it to the server. */
const READING: readonly Grant[] = ['pods', 'events', 'ephemeralrunners'].flatMap((resource) => {
  const group = resource === 'ephemeralrunners' ? 'actions.github.com' : ''
  return ['get', 'list', 'watch'].map((verb) => ({ group, resource, verb }))
})
const STAMPING = readGrants('../guard/role.yaml')

describeWithPrivateNode('working runners under the guard', (cluster) => {
  const tried: Attempt[] = []
  let folder = ''
  let serve: ServeProcess
  let [main, trial, doomed]: readonly string[] = []
  let pod: PodName

  const kubectl = async (args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> => {
    const { code, stdout, stderr } = await run(cluster().kubectlPath, [`--kubeconfig=${cluster().kubeconfig}`, ...args])
    return { code: code ?? -1, said: stdout + stderr }
  }
  const isUntouched = async (one: PodName): Promise<boolean> => {
    const live = await readPod(cluster(), one)
    return live?.status?.phase === 'Running' && live.metadata?.deletionTimestamp === undefined
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-guard-'))
    await installArc(cluster())
    ;[main, trial, doomed] = await createRunnerNamespaces(cluster(), ['guarded', 'trial', 'doomed'])
    const places = [main, trial, doomed].flatMap((name) => ['-n', name ?? ''])
    const account = { name: 'signalbox', namespace: trial ?? '', grants: [...READING, ...STAMPING] }
    const kubeconfig = await createObserver(cluster(), { ...account, secretsIn: [], folder })
    const args = ['--data', folder, '--kubeconfig', kubeconfig, '--audit-log', cluster().auditLog, ...places]
    serve = await startServe(args, database.connectionString, { SIGNALBOX_GUARD_STAMP: 'true' })
    pod = await startRunner(cluster(), { name: 'working', namespace: main ?? '' })
    await untilStamped(cluster(), pod)
  }, 600_000)
  afterAll(async () => {
    // A second signal to a process that has ended does nothing.
    await serve?.stop('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }, 120_000)

  test('are stamped with their record, idle ones are not, and autoscalers keep away', TIMEOUT, async () => {
    const idle = await startRunner(cluster(), { name: 'idle', namespace: main ?? '', hasJob: false })
    const stamped = await untilStamped(cluster(), pod)
    expect(stamped.metadata?.annotations).toMatchObject({
      'signalbox.dev/working-because': 'it executes job "build" of acme/app',
      'karpenter.sh/do-not-disrupt': 'true',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    })
    await untilRecordStamped(cluster(), pod)
    // A runner with a job that came later was looked at after it.
    const later = await startRunner(cluster(), { name: 'later', namespace: main ?? '' })
    await untilStamped(cluster(), later)
    expect((await readPod(cluster(), idle))?.metadata?.labels).not.toHaveProperty(['signalbox.dev/working'])
  })

  test('can be deleted in the mode audit, which leaves a mark in the audit log', TIMEOUT, async () => {
    const { code, stdout } = await runGuard(cluster(), ['apply', '--mode', 'audit', '-n', trial ?? '', '-o', 'json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { mode: 'audit', steps: { length: 4 } }])
    const probe = await startRunner(cluster(), { name: 'probe', namespace: trial ?? '' })
    await untilStamped(cluster(), probe)
    const failure = 'validation.policy.admission.k8s.io/validation_failure'
    // By dry runs, until the API server has compiled the policy.
    await until({
      what: 'the API server to warn',
      timeoutMs: 120_000,
      probe: async () => {
        const { said } = await kubectl(['delete', 'pod', 'probe', '-n', trial ?? '', '--dry-run=server'])
        return said.includes('works on a job') ? true : undefined
      },
    })
    const { code: deleted, said } = await kubectl(['delete', 'pod', 'probe', '-n', trial ?? '', '--wait=false'])
    expect([deleted, said]).toEqual([0, expect.stringContaining('Warning: ') as string])
    const line = await untilAudited(
      cluster(),
      'the deletion of probe',
      ({ objectRef, annotations = {}, responseStatus }) => {
        return objectRef?.name === 'probe' && failure in annotations && responseStatus?.code === 200
      },
    )
    expect(line.annotations?.[failure]).toContain('is a runner that works on a job')
    await untilGone(cluster(), probe)
  })

  test('are refused to everybody in the mode deny', TIMEOUT, async () => {
    const places = [main, doomed].flatMap((name) => ['-n', name ?? ''])
    const applied = await runGuard(cluster(), ['apply', '--mode', 'deny', ...places])
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('PodDisruptionBudget') as string])
    await untilRefused(cluster(), pod)
    const forced = await kubectl(['delete', 'pod', pod.name, '-n', pod.namespace, '--force', '--grace-period=0'])
    expect([forced.code, forced.said]).toEqual([
      1,
      expect.stringContaining('is a runner that works on a job') as string,
    ])
    tried.push('forced')
    const selector = ['-l', 'actions.github.com/scale-set-name=lane']
    const several = await kubectl([
      'delete',
      'pods',
      '-n',
      pod.namespace,
      ...selector,
      '--field-selector=metadata.name=working',
    ])
    expect(several.code).toBe(1)
    tried.push('selected')
    const path = `/api/v1/namespaces/${pod.namespace}/pods?fieldSelector=metadata.name%3Dworking`
    expect((await cluster().call({ method: 'DELETE', path })).status).toBe(403)
    tried.push('collection')
    expect((await cluster().call({ method: 'DELETE', path: recordPath(pod) })).status).toBe(403)
    tried.push('record')
    expect(await isUntouched(pod)).toBe(true)
  })

  test('are shown with the mode and the reason, and nothing is applied twice', TIMEOUT, async () => {
    await expectShown(cluster(), { guarded: [main ?? '', doomed ?? ''], bare: trial ?? '' })
    await untilRefused(cluster(), pod)
  })

  test('are not drained while they work, and the drain ends when they have finished', TIMEOUT, async () => {
    const runners = [pod, { namespace: pod.namespace, name: 'later' }]
    const selector = ['--pod-selector=actions.github.com/scale-set-name=lane']
    const drain = (time: string) =>
      kubectl([
        'drain',
        cluster().node.name,
        '--force',
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        ...selector,
        `--timeout=${time}`,
      ])
    const waited = await drain('10s')
    expect([waited.code, waited.said]).toEqual([1, expect.stringContaining('disruption budget') as string])
    for (const one of runners) expect(await isUntouched(one)).toBe(true)
    tried.push('drain')
    for (const one of runners) await finishJob(cluster(), one)
    for (const one of runners) await untilBare(cluster(), one)
    const ended = await drain('120s')
    expect([ended.code, ended.said]).toEqual([0, expect.stringContaining('drained') as string])
    for (const one of runners) await untilGone(cluster(), one)
    await cluster().kubectl(['uncordon', cluster().node.name])
    tried.push('drain-after')
  })

  test('make a pod wait that would preempt them', TIMEOUT, async () => {
    const { status } = (await cluster().callOk({ path: `/api/v1/nodes/${cluster().node.name}` })) as {
      readonly status: { readonly allocatable: { readonly cpu: string } }
    }
    // Two of them do not fit.
    const resources = { requests: { cpu: `${Number(status.allocatable.cpu) * 600}m` } }
    pod = await startRunner(cluster(), { name: 'preempted', namespace: main ?? '', resources })
    await untilStamped(cluster(), pod)
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
    await cluster().callOk({ method: 'POST', path, body: { metadata: { name: 'urgent' }, value: 1_000_000 } })
    await createPod(
      cluster(),
      busyboxPod({
        name: 'urgent',
        namespace: main ?? '',
        script: 'sleep 600',
        container: { resources },
        spec: { priorityClassName: 'urgent' },
      }),
    )
    await untilAudited(cluster(), 'the refused preemption', ({ user, objectRef, responseStatus }) => {
      return (
        user.username === 'system:kube-scheduler' && objectRef?.name === 'preempted' && responseStatus?.code === 403
      )
    })
    expect(await isUntouched(pod)).toBe(true)
    tried.push('preemption')
    await cluster().callOk({
      method: 'DELETE',
      path: `/api/v1/namespaces/${main ?? ''}/pods/urgent?gracePeriodSeconds=0`,
    })
  })

  test('go when somebody breaks the glass, and the ledger has the name', TIMEOUT, async () => {
    const reason = 'it mines coins'
    await cluster().kubectl(['annotate', 'pod', pod.name, '-n', pod.namespace, `signalbox.dev/break-glass=${reason}`])
    await cluster().kubectl(['delete', 'pod', pod.name, '-n', pod.namespace, '--force', '--grace-period=0'])
    await untilGone(cluster(), pod)
    const row = await until({
      what: 'the row of the ledger',
      timeoutMs: 120_000,
      explain: async () => serve.said(),
      probe: async () => {
        const answer = await fetch(`${serve.url}/v1/ledger?act=break-glass`)
        const { ledger: found = [] } = (await answer.json()) as {
          readonly ledger?: readonly { readonly subject: { readonly name: string } }[]
        }
        return found.find(({ subject }) => subject.name === pod.name)
      },
    })
    expect(row).toMatchObject({
      act: 'break-glass',
      actor: 'admin',
      outcome: 'done',
      why: expect.stringContaining(reason) as string,
    })
    tried.push('break-glass')
  })

  test('are stamped with the rights of deploy/guard/role.yaml, and with no others', TIMEOUT, async () => {
    const { used, refused } = await usedBy(cluster().auditLog, `system:serviceaccount:${trial ?? ''}:signalbox`)
    const changing = used.filter((right) => !/^(?:get|list|watch) /.test(right))
    expect(changing).toEqual(['patch /pods', 'patch actions.github.com/ephemeralrunners'])
    expect(refused.filter((line) => line.startsWith('patch'))).toEqual([])
  })

  test('go with their namespace and with their node, which nobody can keep', TIMEOUT, async () => {
    const inDoomed = await startRunner(cluster(), { name: 'in-namespace', namespace: doomed ?? '' })
    await untilStamped(cluster(), inDoomed)
    await untilRefused(cluster(), inDoomed)
    await cluster().callOk({ method: 'DELETE', path: `/api/v1/namespaces/${doomed ?? ''}` })
    await untilGone(cluster(), inDoomed)
    tried.push('namespace')
    const onNode = await startRunner(cluster(), { name: 'on-node', namespace: main ?? '' })
    await untilStamped(cluster(), onNode)
    await untilRefused(cluster(), onNode)
    await cluster().callOk({ method: 'DELETE', path: `/api/v1/nodes/${cluster().node.name}` })
    await untilGone(cluster(), onNode)
    const { user } = await untilAudited(cluster(), 'who deleted on-node', ({ objectRef, responseStatus }) => {
      return objectRef?.name === 'on-node' && (responseStatus?.code ?? 500) < 300
    })
    expect(user.username).toMatch(/^system:(?:serviceaccount:kube-system:|node:)/)
    tried.push('node')
  })

  test('are bare and can be deleted after the guard is removed', TIMEOUT, async () => {
    await serve.stop('SIGTERM')
    await expectRemovable(cluster(), main ?? '')
  })

  test('are treated as docs/guard.md says', async () => {
    const [before = '', after = ''] = readFileSync(PAGE, 'utf8').split(
      /(?<=<!-- attempts: [^\n]*\n)[\s\S]*(?=<!-- attempts end)/,
    )
    expect(after).toContain('<!-- attempts end')
    await expect(`${before}\n${printAttempts(tried)}\n${after}`).toMatchFileSnapshot(PAGE)
  })
})
