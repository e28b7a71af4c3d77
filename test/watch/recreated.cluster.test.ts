import { join } from 'node:path'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod, podPath } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { untilRecorded } from './serve-deaths.ts'
import { watchNode } from './watched-node.ts'
import type { Cleanups } from './watched-node.ts'

const { connectionString: database } = await testDatabase()

const PATIENT = { timeout: 600_000, interval: 500 }
const SCRIPT = 'echo "$(date -u +%Y-%m-%d\\ %H:%M:%SZ): Running job: build"; exec sleep 600'

/** A runner that works, with the UID that it got. */
async function startRunner(cluster: NodeCluster, { namespace, name }: PodName): Promise<string> {
  const metadata = { name, namespace, labels: { 'actions.github.com/scale-set-name': 'linux' } }
  await createPod(cluster, busyboxPod({ name, namespace, script: SCRIPT, metadata, container: { name: 'runner' } }))
  return vi.waitFor(async () => {
    const { metadata: made, status } = (await cluster.callOk({ path: podPath({ namespace, name }) })) as Pod
    expect(status?.phase).toBe('Running')
    return made?.uid ?? ''
  }, PATIENT)
}

describeOnSharedNode('a runner that ARC recreates under its name after a force-delete', (cluster) => {
  const cleanups: Cleanups = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })

  test('is explained by its recorded death, with a hint at the live pod', { timeout: 1_800_000 }, async () => {
    const namespace = await createNamespace(cluster(), 'recreated')
    const { serve, folder } = await watchNode(cluster(), cleanups, {
      recordings: [],
      database,
      namespaces: [namespace],
    })
    const pod = { namespace, name: 'linux-abc-runner-again' }
    const first = await startRunner(cluster(), pod)
    await cluster().callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })
    const second = await startRunner(cluster(), pod)
    expect(await untilRecorded(serve, pod)).toMatchObject({ uid: first, cause: 'force-deleted' })

    const where = ['--kubeconfig', cluster().kubeconfig, '--server', serve.url, '-n', namespace]
    const again = `A live pod has the name ${namespace}/${pod.name} again (UID ${second}`
    const why = await runSignalbox(['why', pod.name, ...where, '-o', 'json'])
    const answer = JSON.parse(why.stdout) as { readonly verdict: object; readonly store: object }
    expect(answer.verdict).toMatchObject({ cause: 'force-deleted' })
    expect(answer.store).toMatchObject({ uid: first, live: { uid: second } })
    expect(why.stderr).toContain(again)
    const timeline = await runSignalbox(['timeline', pod.name, ...where, '-o', 'json'])
    expect((JSON.parse(timeline.stdout) as { readonly subject: object }).subject).toMatchObject({ uid: first })
    const live = await runSignalbox(['timeline', pod.name, ...where, '--live', '-o', 'json'])
    expect((JSON.parse(live.stdout) as { readonly subject: object }).subject).toMatchObject({ uid: second })

    // The recorder saves live pods in batches.
    await vi.waitFor(async () => {
      const listed = await runSignalbox(['deaths', '--runner', pod.name, '--server', serve.url])
      expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining(again)])
    }, PATIENT)
    const target = join(folder, 'death.tar.gz')
    const exported = await runSignalbox(['export', pod.name, '-o', target, '--server', serve.url])
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining(again)])
  })
})
