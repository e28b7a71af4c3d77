import { expect, test } from 'vitest'

import { runSignalbox } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod, podPath, readPod, untilPhase } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'

const TIMEOUT = { timeout: 400_000 }

/** What a runner prints that has taken a job. */
const AT_WORK = [
  'echo "√ Connected to GitHub"',
  'echo "$(date -u +%Y-%m-%d\\ %H:%M:%SZ): Listening for Jobs"',
  'echo "$(date -u +%Y-%m-%d\\ %H:%M:%SZ): Running job: build"',
].join('; ')

type Answer = {
  readonly verdict: { readonly cause: string; readonly actor: string | null; readonly confidence: number }
  readonly subject: Readonly<Record<string, unknown>>
}

async function why(cluster: NodeCluster, args: readonly string[]) {
  const ran = await runSignalbox(['why', ...args, '--kubeconfig', cluster.kubeconfig, '-o', 'json'])
  return { ...ran, answer: ran.stdout === '' ? null : (JSON.parse(ran.stdout) as Answer) }
}

describeOnSharedNode('signalbox why on a real cluster', (cluster) => {
  test('names the limit that a runner hit, with only a kubeconfig', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const pod = { namespace, name: 'linux-4x8-k2xvq-runner-7hn4d' }
    const script = `${AT_WORK}; exec tail /dev/zero`
    await createPod(cluster(), busyboxPod({ ...pod, script, memory: '32Mi', container: { name: 'runner' } }))
    await untilPhase(cluster(), pod, 'Failed')
    const { code, answer } = await why(cluster(), [`${namespace}/${pod.name}`])
    expect([code, answer?.verdict.cause]).toEqual([0, 'oom-container'])
    expect(answer?.subject).toMatchObject({ namespace, pod: pod.name, node: cluster().node.name, container: 'runner' })
  })

  test('names who force-deleted a working runner, after the pod is gone', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const pod = { namespace, name: 'linux-4x8-k2xvq-runner-x7m2p' }
    await createPod(
      cluster(),
      busyboxPod({ ...pod, script: `${AT_WORK}; exec sleep 600`, container: { name: 'runner' } }),
    )
    await untilPhase(cluster(), pod, 'Running')
    await cluster().callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })
    await until({
      what: 'the pod to go',
      timeoutMs: 240_000,
      probe: async () => ((await readPod(cluster(), pod)) === undefined ? true : undefined),
    })
    const here = ['--audit-log', cluster().auditLog, '--this-node', cluster().node.name]
    const { code, answer } = await why(cluster(), [`${namespace}/${pod.name}`, ...here])
    // The log went with the pod and there is no GitHub: nothing proves that it worked, so it stays a guess.
    expect(code).toBe(1)
    expect(answer?.verdict.cause).toBe('unknown')
    const ran = await runSignalbox(['why', `${namespace}/${pod.name}`, '--kubeconfig', cluster().kubeconfig, ...here])
    expect(ran.stdout).toContain('the best guess is force-deleted')
  })

  test('says that a runner is still running', TIMEOUT, async () => {
    const namespace = await createNamespace(cluster(), 'runners')
    const pod = { namespace, name: 'linux-4x8-k2xvq-runner-alive' }
    await createPod(
      cluster(),
      busyboxPod({ ...pod, script: `${AT_WORK}; exec sleep 600`, container: { name: 'runner' } }),
    )
    await untilPhase(cluster(), pod, 'Running')
    const ran = await runSignalbox(['why', `${namespace}/${pod.name}`, '--kubeconfig', cluster().kubeconfig])
    expect([ran.code, ran.stdout.split('\n')[0]]).toEqual([1, 'The runner is still running.'])
  })

  test('reports an unknown name as not found', TIMEOUT, async () => {
    const { code, stderr } = await why(cluster(), ['default/nobody-was-here'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('no source knows')])
  })
})
