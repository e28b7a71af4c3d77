import { describe, expect, test, vi } from 'vitest'
import type { Observed } from '#/core/basics/observed.ts'
import type { RawAnswer } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { busyboxPod, createNamespace, createPod, untilPhase, untilPod } from '#test/cluster/pods.ts'
import { makeSign } from '#test/cluster/sign.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { COUNTING, follow, isLine, listLines } from './kubernetes-followed.ts'
import { gatherWatch, isAbout } from './kubernetes-gather.ts'
import { connectBy, unhurried } from './kubernetes-means.ts'

const TIMEOUT = { timeout: 400_000 }
const SEEN_AT_LAST = { timeout: 120_000, interval: 1000 }

/** The phases of a pod in the order in which the watch saw them, without repeats. */
function phases(states: readonly { readonly object: KubeObject }[]): readonly string[] {
  const all = states.map(({ object }) => (object['status'] as { readonly phase: string }).phase)
  return all.filter((phase, index) => phase !== all[index - 1])
}

describeOnSharedNode('the Kubernetes adapter with a real node', (cluster) => {
  deaths(cluster)
  logs(cluster)

  test('reads statistics and configuration of the node through the API server', TIMEOUT, async () => {
    await using kubernetes = connectBy(cluster().kubeconfig)
    const namespace = await createNamespace(cluster())
    const pod = { namespace, name: 'measured' }
    await createPod(cluster(), busyboxPod({ ...pod, script: 'sleep 600' }))
    const { metadata } = await untilPhase(cluster(), pod, 'Running')
    const proxy = `/api/v1/nodes/${cluster().node.name}/proxy`
    await until({
      what: 'the pod in the statistics',
      timeoutMs: 240_000,
      probe: async () => {
        const stats = parseAnswer(await kubernetes.raw(`${proxy}/stats/summary`, unhurried))
        return JSON.stringify(stats).includes(`"uid":"${metadata?.uid}"`) ? stats : undefined
      },
    })
    const configz = parseAnswer(await kubernetes.raw(`${proxy}/configz`, unhurried))
    expect(configz).toMatchObject({ kubeletconfig: { evictionHard: { 'memory.available': '50Mi' } } })
  })
})

function parseAnswer(answer: Observed<RawAnswer>): unknown {
  if (answer.kind === 'seen') return JSON.parse(answer.value.text) as unknown
  throw new Error(`the node did not answer: ${JSON.stringify(answer)}`)
}

function deaths(cluster: () => NodeCluster): void {
  describe('a death that the watch sees', () => {
    test('is a kill by the kernel, for memory', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      const pod = { namespace, name: 'hungry' }
      const { awaited, volumes, volumeMounts, give } = await makeSign(cluster())
      const script = `${awaited}; tail /dev/zero`
      const container = { volumeMounts }
      await createPod(cluster(), busyboxPod({ ...pod, memory: '32Mi', script, container, spec: { volumes } }))
      await untilPhase(cluster(), pod, 'Running')
      await give()
      await untilPhase(cluster(), pod, 'Failed')
      await watched.until('the failure', (event) => JSON.stringify(event).includes('"phase":"Failed"'))
      const states = watched.listStates('hungry')
      expect(phases(states)).toEqual(['Pending', 'Running', 'Failed'])
      const terminated = { reason: 'OOMKilled', exitCode: 137 }
      expect(states.at(-1)?.object).toMatchObject({ status: { containerStatuses: [{ state: { terminated } }] } })
    })

    test('is an eviction, for storage over the limit', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      await using watched = gatherWatch(kubernetes, { resource: RESOURCES.pods, namespace })
      await watched.caughtUp()
      const pod = { namespace, name: 'hoarder' }
      const sign = await makeSign(cluster())
      const volumes = [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }, ...sign.volumes]
      const container = { volumeMounts: [{ name: 'data', mountPath: '/data' }, ...sign.volumeMounts] }
      const script = `${sign.awaited}; dd if=/dev/zero of=/data/hoard bs=1M count=8; sleep 600`
      await createPod(cluster(), busyboxPod({ ...pod, script, container, spec: { volumes, hostNetwork: true } }))
      await untilPhase(cluster(), pod, 'Running')
      await sign.give()
      await untilPod(cluster(), pod, ({ status }) => status?.reason === 'Evicted')
      await watched.until('the eviction', (event) => JSON.stringify(event).includes('"reason":"Evicted"'))
      const states = watched.listStates('hoarder')
      expect(phases(states)).toEqual(['Pending', 'Running', 'Failed'])
      const message = expect.stringContaining('data') as string
      expect(states.at(-1)?.object).toMatchObject({ status: { reason: 'Evicted', message } })
    })

    test('is a forced deletion, with the last object, who deleted it, and the log up to then', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      const request = { resource: RESOURCES.pods, namespace, trim: withoutLastApplied }
      await using watched = gatherWatch(kubernetes, request)
      await watched.caughtUp()
      const pod = { namespace, name: 'victim' }
      await createPod(cluster(), busyboxPod({ ...pod, script: COUNTING }))
      const { metadata } = await untilPhase(cluster(), pod, 'Running')
      await using followed = follow(kubernetes, namespace, 'victim')
      await followed.until('the log', isLine('line 3'))
      const uid = metadata?.uid ?? ''
      const ref = { resource: RESOURCES.pods, ...pod }
      const forced = await kubernetes.delete({ ...ref, preconditions: { uid }, gracePeriodSeconds: 0 }, unhurried)
      expect(forced).toMatchObject({ kind: 'done' })
      const last = await watched.until('the end', isAbout('deleted', 'victim'))
      expect(last).toMatchObject({ object: { metadata: { uid }, spec: { nodeName: cluster().node.name } } })
      expect(phases(watched.listStates('victim'))).toEqual(['Pending', 'Running'])
      expect(JSON.stringify(last)).toContain('"managedFields"')
      const end = await followed.until('the end of the log', ({ kind }) => kind === 'ended')
      expect(end).toMatchObject({ why: 'pod-gone' })
      expect(listLines(followed).slice(0, 3)).toEqual(['line 1', 'line 2', 'line 3'])
    })
  })
}

function logs(cluster: () => NodeCluster): void {
  describe('a log', () => {
    test('is followed from before its first line to the end of the container', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      const pod = { namespace, name: 'short' }
      await createPod(cluster(), busyboxPod({ ...pod, script: 'echo first; sleep 2; echo last' }))
      await using followed = follow(kubernetes, namespace, 'short')
      const end = await followed.until('the end', ({ kind }) => kind === 'ended')
      expect(end).toEqual({ kind: 'ended', why: 'container-ended' })
      expect(listLines(followed)).toEqual(['first', 'last'])
      // A busy kubelet may refuse the first request, which is an event too.
      expect(followed.events.find(({ kind }) => kind === 'line')).toMatchObject({
        at: expect.stringMatching(/^\d{4}-.+\.\d{9}/u) as string,
      })
    })

    test('has a tail within a byte limit, also of the previous container', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      const pod = { namespace, name: 'again' }
      const script = 'for i in $(seq 1 2000); do echo number $i; done; exit 3'
      await createPod(cluster(), busyboxPod({ ...pod, script, spec: { restartPolicy: 'OnFailure' } }))
      const restarted = untilPod(
        cluster(),
        pod,
        ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
      )
      const tail = { namespace, pod: 'again', container: 'main', tailLines: 1500, tailBytes: 1000 }
      await restarted
      // It restarts again and again: for a moment the kubelet has removed the container that was the previous one.
      await vi.waitFor(async () => {
        const previous = await kubernetes.logTail({ ...tail, previous: true }, unhurried)
        expect(previous).toMatchObject({ kind: 'seen', value: { cut: true } })
        const lines = previous.kind === 'seen' ? previous.value.text.trimEnd().split('\n') : []
        expect(lines.every((line) => /^\S+Z number \d+$/u.test(line))).toBe(true)
        expect(lines.at(-1)).toMatch(/ number 2000$/u)
        expect(previous.kind === 'seen' && previous.value.text.length).toBeLessThanOrEqual(1000)
      }, SEEN_AT_LAST)
    })

    test('is none before the container starts, and without a previous container', TIMEOUT, async () => {
      await using kubernetes = connectBy(cluster().kubeconfig)
      const namespace = await createNamespace(cluster())
      const tail = { namespace, container: 'main', tailLines: 10, tailBytes: 1000 }
      const missing = { namespace, name: 'missing' }
      await createPod(cluster(), busyboxPod({ ...missing, script: 'true', container: { image: 'not.here/image:1' } }))
      await untilPod(cluster(), missing, ({ status }) => status?.containerStatuses?.[0]?.state?.waiting !== undefined)
      expect(await kubernetes.logTail({ ...tail, pod: 'missing' }, unhurried)).toEqual({ kind: 'none' })
      const quiet = { namespace, name: 'quiet' }
      await createPod(cluster(), busyboxPod({ ...quiet, script: 'sleep 600' }))
      await untilPhase(cluster(), quiet, 'Running')
      expect(await kubernetes.logTail({ ...tail, pod: 'quiet' }, unhurried)).toEqual({ kind: 'none' })
      const before = await kubernetes.logTail({ ...tail, pod: 'quiet', previous: true }, unhurried)
      expect(before).toEqual({ kind: 'none' })
    })
  })
}
