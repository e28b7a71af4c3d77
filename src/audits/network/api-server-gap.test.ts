import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { seen } from '#/core/basics/observed.ts'
import { ended, buildLease, buildNode, buildPod, running } from '#test/fleets/cluster-parts.ts'
import { ago } from '#test/fleets/build-fleet.ts'
import { classes, logged } from '#test/fleets/network-case.ts'
import type { NetworkCase } from '#test/fleets/network-case.ts'
import { isApiServerLine, isDnsLine } from './log-signs.ts'

const QUIET = ['no-cluster-evidence']
const YES = ['api-server-gap']

const SERVER = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
const fresh = [buildLease('sting', 0.1), buildLease('honey', 0.1)]
const leases = (...own: readonly Fields[]): NetworkCase => ({ lists: { leases: own } })

describe('leases', () => {
  it.each<readonly [string, readonly string[], NetworkCase]>([
    [
      'show an API server that came up',
      YES,
      leases(...fresh, buildLease('apiserver-a', 0.1, { namespace: 'kube-system', labels: SERVER, created: 12 })),
    ],
    [
      'show the first one of a new cluster, which is no gap',
      QUIET,
      {
        ...leases(...fresh, buildLease('apiserver-a', 0.1, { namespace: 'kube-system', labels: SERVER, created: 15 })),
        nodes: ['sting', 'honey'].map((name) => buildNode(name, { age: 14 })),
      },
    ],
    [
      'show one that went',
      YES,
      leases(...fresh, buildLease('apiserver-a', 12, { namespace: 'kube-system', labels: SERVER })),
    ],
    [
      'show one that went before the window',
      QUIET,
      leases(...fresh, buildLease('apiserver-a', 31, { namespace: 'kube-system', labels: SERVER })),
    ],
    [
      'show a kubelet that cannot renew, though its node is called ready',
      YES,
      leases(buildLease('sting', 12), buildLease('honey', 0.1)),
    ],
    [
      'show a dead node, which is another matter',
      ['node-not-ready'],
      {
        ...leases(buildLease('sting', 12), buildLease('honey', 0.1)),
        nodes: [buildNode('sting', { ready: 'Unknown', readySince: 11 })],
      },
    ],
    ['show another kubelet, which does not count', QUIET, leases(buildLease('sting', 0.1), buildLease('honey', 12))],
    ['were all read a while ago', QUIET, leases(buildLease('sting', 12), buildLease('honey', 12.1))],
    [
      'show two new leaders',
      YES,
      leases(
        ...fresh,
        ...['kube-controller-manager', 'kube-scheduler'].map((name) =>
          buildLease(name, 0.1, { namespace: 'kube-system', acquired: 12 }),
        ),
      ),
    ],
    [
      'show one new leader, which was restarted',
      QUIET,
      leases(
        ...fresh,
        buildLease('kube-scheduler', 0.1, { namespace: 'kube-system', acquired: 12 }),
        buildLease('kube-controller-manager', 0.1, { namespace: 'kube-system', acquired: 900 }),
      ),
    ],
    [
      'show the first leaders of a new cluster',
      QUIET,
      {
        ...leases(
          ...fresh,
          ...['kube-controller-manager', 'kube-scheduler'].map((name) =>
            buildLease(name, 0.1, { namespace: 'kube-system', acquired: 13 }),
          ),
        ),
        nodes: ['sting', 'honey'].map((name) => buildNode(name, { age: 14 })),
      },
    ],
  ])('%s', (_title, expected, own) => {
    expect(classes(own)).toEqual(expected)
  })

  it('of most kubelets at once are the API server', () => {
    const names = ['sting', 'honey', 'bumble']
    const nodes = names.map((name) => buildNode(name, { ready: 'Unknown', readySince: 7 }))
    const own = {
      nodes,
      lists: { leases: [...names.map((name) => buildLease(name, 12)), buildLease('x', 0.1, { namespace: 'arc' })] },
    }
    expect(classes(own)).toEqual(YES)
  })
})

describe('the pods of the control plane', () => {
  const back = { restarts: 1, state: running(12), last: ended(12.1), age: 9000, namespace: 'kube-system' }
  it.each<readonly [string, readonly string[], Fields]>([
    [
      'an API server that came back',
      YES,
      buildPod('kube-apiserver-cp-1', { ...back, owner: { kind: 'Node', name: 'cp-1' } }),
    ],
    [
      'its store, which came back',
      YES,
      buildPod('etcd-cp-1', { ...back, owner: { kind: 'Node', name: 'cp-1' }, labels: { component: 'etcd' } }),
    ],
    [
      'a scheduler that came back',
      QUIET,
      buildPod('kube-scheduler-cp-1', { ...back, owner: { kind: 'Node', name: 'cp-1' } }),
    ],
    ['an etcd of somebody else', QUIET, buildPod('etcd-0', { ...back, owner: { kind: 'StatefulSet', name: 'etcd' } })],
  ])('show %s', (_title, expected, pod) => {
    expect(classes({ pods: [pod] })).toEqual(expected)
  })
})

const REFUSED =
  'Get "https://10.96.0.1:443/apis/actions.github.com/v1alpha1/x": dial tcp 10.96.0.1:443: connect: connection refused'
const LOST = 'lookup api.github.com on 10.96.0.10:53: read udp 10.244.1.7:4->10.96.0.10:53: i/o timeout'

describe('a line of a log', () => {
  it.each<readonly [string, boolean, string]>([
    ['says that the API server refuses', true, REFUSED],
    ['says so of its own port', true, 'dial tcp 192.0.2.2:6443: i/o timeout'],
    ['says that its store has no leader', true, 'rpc error: etcdserver: leader changed'],
    ['says that leading was lost', true, 'leader election lost'],
    [
      'is about GitHub',
      false,
      'Get "https://pipelines.actions.githubusercontent.com/_apis/runtime": connect: connection refused',
    ],
    ['is about a server of the job', false, 'dial tcp 10.0.0.7:5432: connect: connection refused'],
    ['is about another API server', false, 'cannot reach the API server https://api.github.com/: i/o timeout'],
    ['is about names', false, LOST],
    ['is about the names of the API server', false, 'lookup kubernetes.default.svc on 10.96.0.10:53: i/o timeout'],
    ['says nothing is wrong', false, 'PATCH https://10.96.0.1:443/apis/x 200'],
  ])('%s', (_title, isMeant, text) => {
    expect(isApiServerLine(text)).toBe(isMeant)
  })

  it.each<readonly [string, boolean, string]>([
    ['had no answer on port 53', true, LOST],
    ['did not find GitHub', true, 'dial tcp: lookup github.com: no such host'],
    [
      'says that a name of the API server is not there',
      false,
      'Get "https://typo/apis/actions.github.com": dial tcp: lookup typo: no such host',
    ],
    ['did not find a name that nobody knows', false, 'dial tcp: lookup nexus.corp.example: no such host'],
    ['is asked to try again', true, 'getaddrinfo EAI_AGAIN packages.example.com'],
    ['has a port that begins with 53', false, 'dial tcp 10.0.0.1:5353: i/o timeout'],
  ])('is a DNS error if it %s', (_title, isMeant, text) => {
    expect(isDnsLine(text)).toBe(isMeant)
  })

  it.each<readonly [string, readonly string[], Partial<Snapshot>]>([
    ['in the window is a sign', YES, logged(12, REFUSED)],
    ['before it is none', QUIET, logged(31, REFUSED)],
    ['after it is none', QUIET, logged(7, REFUSED)],
    ['about names is a sign for these', ['dns-gap'], logged(12, LOST, 'listener')],
  ])('%s', (_title, expected, others) => {
    expect(classes({ others })).toEqual(expected)
  })
})

const line = (seconds: number, own: Fields): Fields => ({
  stage: 'ResponseComplete',
  requestReceivedTimestamp: ago(seconds * 1000),
  responseStatus: { code: 200 },
  ...own,
})
/** Renewals every ten seconds, except for a gap that ends 12 minutes ago. */
const renewals = (name: string, gapSeconds: number, every = 10, gapEnd = 720): readonly Fields[] =>
  Array.from({ length: Math.floor(3000 / every) }, (_, index) => 3000 - index * every)
    .filter((seconds) => seconds <= gapEnd || seconds >= gapEnd + gapSeconds)
    .map((seconds) =>
      line(seconds, { verb: 'update', objectRef: { resource: 'leases', namespace: 'kube-node-lease', name } }),
    )
const audited = (...lines: readonly Fields[]): NetworkCase => ({ others: { auditLog: seen(lines) } })

describe('the audit log', () => {
  it.each<readonly [string, readonly string[], NetworkCase]>([
    ['has renewals all the time', QUIET, audited(...renewals('sting', 0))],
    ['lacks them for longer than a lease', YES, audited(...renewals('sting', 50))],
    ['lacks them for no longer', QUIET, audited(...renewals('sting', 40))],
    ['lacked them before the window', QUIET, audited(...renewals('sting', 90, 10, 2000))],
    ['lacks those of another node', QUIET, audited(...renewals('sting', 0), ...renewals('honey', 60))],
    ['lacks those of most', YES, audited(...renewals('cp-1', 60), ...renewals('honey', 60), ...renewals('bumble', 0))],
    ['has only a few of them by its policy', QUIET, audited(...renewals('sting', 0, 60))],
    [
      'has three answers that were none',
      YES,
      audited(...[720, 721, 722].map((seconds) => line(seconds, { responseStatus: { code: 503 } }))),
    ],
    ['has two', QUIET, audited(...[720, 721].map((seconds) => line(seconds, { responseStatus: { code: 503 } })))],
    [
      'has them before the window',
      QUIET,
      audited(...[1900, 1901, 1902].map((seconds) => line(seconds, { responseStatus: { code: 503 } }))),
    ],
    [
      'has refusals, which are answers',
      QUIET,
      audited(...[720, 721, 722].map((seconds) => line(seconds, { responseStatus: { code: 403 } }))),
    ],
    [
      'is silent at times',
      QUIET,
      audited(
        ...Array.from({ length: 300 }, (_, index) => line(1700 - index, { verb: 'get' })),
        line(600, { verb: 'get' }),
      ),
    ],
  ])('%s', (_title, expected, own) => {
    expect(classes(own)).toEqual(expected)
  })

  it('counts each request once', () => {
    const twice = [720, 721].flatMap((seconds) =>
      ['RequestReceived', 'ResponseComplete'].map((stage) => line(seconds, { stage, responseStatus: { code: 503 } })),
    )
    expect(classes(audited(...twice))).toEqual(QUIET)
  })
})
