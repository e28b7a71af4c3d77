import { expect, test } from 'vitest'
import { busyboxPod, createNamespace, createPod, untilPhase } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { COUNTING, follow, isLine, listLines } from './kubernetes-followed.ts'
import { connectBy } from './kubernetes-means.ts'

const TIMEOUT = { timeout: 400_000 }

describeWithPrivateNode('the Kubernetes adapter and a node whose kubelet is killed: a log', (cluster) => {
  test('continues after a kubelet outage, without a line lost or repeated', TIMEOUT, async () => {
    await using kubernetes = connectBy(cluster().kubeconfig)
    const namespace = await createNamespace(cluster())
    const pod = { namespace, name: 'talker' }
    await createPod(cluster(), busyboxPod({ ...pod, script: COUNTING }))
    await untilPhase(cluster(), pod, 'Running')
    await using followed = follow(kubernetes, namespace, 'talker')
    await followed.until('the log', isLine('line 5'))
    await cluster().node.killKubelet()
    await followed.until('the follower to be blind', ({ kind }) => kind === 'blind')
    await cluster().node.startKubelet()
    const count = listLines(followed).length
    await followed.until('more of the log', isLine(`line ${count + 20}`))
    const lines = listLines(followed)
    expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`))
  })
})
