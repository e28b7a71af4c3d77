import { describe, expect, it } from 'vitest'

import { toActor, toDisruptor } from '#/core/why/actor.ts'

const ACTORS: readonly (readonly [what: string, user: string, agent: string | null, actor: string])[] = [
  ['a person is named with `user:` before the name', 'alice', null, 'user:alice'],
  ['a person who uses our client stays a person', 'alice', 'signalbox/reap', 'user:alice'],
  ['an account with another system prefix stays as it is', 'system:admin', null, 'system:admin'],
  ['a service account is named verbatim', 'system:serviceaccount:ci:cleaner', null, 'system:serviceaccount:ci:cleaner'],
  ['the node itself is the kubelet', 'system:node:n1', null, 'kubelet'],
  ['the scheduler preempts under its own name', 'system:kube-scheduler', null, 'kube-scheduler'],
  [
    'the node controller evicts by taints',
    'system:serviceaccount:kube-system:node-controller',
    null,
    'taint-eviction-controller',
  ],
  [
    'the taint eviction controller has its own account in newer clusters',
    'system:serviceaccount:kube-system:taint-eviction-controller',
    null,
    'taint-eviction-controller',
  ],
  ['the namespace controller', 'system:serviceaccount:kube-system:namespace-controller', null, 'namespace-controller'],
  [
    'the garbage collector of pods',
    'system:serviceaccount:kube-system:pod-garbage-collector',
    null,
    'pod-garbage-collector',
  ],
  [
    'a controller of that name outside kube-system is another account',
    'system:serviceaccount:ci:namespace-controller',
    null,
    'system:serviceaccount:ci:namespace-controller',
  ],
  [
    'another account of kube-system stays verbatim',
    'system:serviceaccount:kube-system:replicaset-controller',
    null,
    'system:serviceaccount:kube-system:replicaset-controller',
  ],
  ['karpenter in kube-system', 'system:serviceaccount:kube-system:karpenter', null, 'karpenter'],
  ['karpenter in a namespace of its own', 'system:serviceaccount:karpenter:karpenter', null, 'karpenter'],
  ['karpenter with a suffix', 'system:serviceaccount:karpenter:karpenter-sa', null, 'karpenter'],
  [
    'a name that only begins with the same letters is not karpenter',
    'system:serviceaccount:ci:karpenterish',
    null,
    'system:serviceaccount:ci:karpenterish',
  ],
  ['the cluster autoscaler', 'system:serviceaccount:kube-system:cluster-autoscaler', null, 'cluster-autoscaler'],
  [
    'the cluster autoscaler as a chart names it',
    'system:serviceaccount:scaling:prod-cluster-autoscaler-aws',
    null,
    'cluster-autoscaler',
  ],
  [
    'a loop of ours, by its agent',
    'system:serviceaccount:signalbox:signalbox',
    'signalbox/reap (linux/amd64)',
    'signalbox/reap',
  ],
  [
    'an account of ours without an agent stays verbatim',
    'system:serviceaccount:signalbox:signalbox',
    'kubectl/v1.33',
    'system:serviceaccount:signalbox:signalbox',
  ],
  [
    'another account with our user agent is not trusted',
    'system:serviceaccount:ci:cleaner',
    'signalbox/reap',
    'system:serviceaccount:ci:cleaner',
  ],
]

describe('who asked', () => {
  it.each(ACTORS)('%s', (_what, user, agent, actor) => {
    expect(toActor(user, agent)).toBe(actor)
  })
})

describe('who disrupted, by the reason of the condition', () => {
  it.each([
    ['PreemptionByScheduler', 'kube-scheduler'],
    ['DeletionByTaintManager', 'taint-eviction-controller'],
    ['TerminationByKubelet', 'kubelet'],
    ['DeletionByPodGC', 'pod-garbage-collector'],
    ['EvictionByEvictionAPI', null],
    [null, null],
  ])('%s: %s', (reason, actor) => {
    expect(toDisruptor(reason)).toBe(actor)
  })
})
