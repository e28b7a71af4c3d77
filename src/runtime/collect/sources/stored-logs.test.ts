import { describe, expect, it } from 'vitest'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { LogStore, StoreWindow } from '#/ports/log-store.ts'
import { buildCluster, gathered, NOW, object, RUNNER, runnerPod } from '#test/collect/gathered.ts'

const LINE = '{"__REALTIME_TIMESTAMP":"1","MESSAGE":"Out of memory"}\n'

type Kept = LogStore & { readonly asked: (readonly [string, StoreWindow])[] }

function keep(own: Partial<LogStore> = {}): Kept {
  const asked: (readonly [string, StoreWindow])[] = []
  return {
    asked,
    journal: async (node, window, signal) => {
      asked.push([node, window])
      return own.journal?.(node, window, signal) ?? seen({ text: LINE, ...window, cut: null })
    },
    podLogs: async (pod, window, signal) => {
      asked.push([`${pod.namespace}/${pod.pod}`, window])
      return own.podLogs?.(pod, window, signal) ?? seen([{ container: 'runner', text: 'kept\n', ...window, cut: null }])
    },
  }
}

const subject = { kind: 'pod', namespace: 'runners', name: RUNNER } as const
const LOG = `logs/runners/${RUNNER}/runner`

const collect = (logStore: LogStore | null, kubernetes: Kubernetes) => gathered({ subject, logStore, kubernetes })

const blindLogs = (kubernetes: Kubernetes): Kubernetes => ({
  ...kubernetes,
  logTail: async () => blind('forbidden', '403 pods/log'),
})

describe('a runner whose journal is kept elsewhere', () => {
  it('has it from there, for the window of the question', async () => {
    const store = keep()
    const { kubernetes } = buildCluster({ pods: [runnerPod] })
    const { files, meta } = await collect(store, kubernetes)
    expect(files.get('journal/n1.jsonl')).toBe(LINE)
    expect(meta.sources.get('journal/n1')).toMatchObject({ coverage: { to: NOW, remark: 'from the log store' } })
    expect(store.asked.map(([what]) => what)).toEqual(['n1'])
  })

  it('says which limit was reached, and which time is covered', async () => {
    const cut = blind('truncated', 'more than 50000 lines').reason
    const store = keep({ journal: async () => seen({ text: LINE, from: NOW - 60_000, to: NOW, cut }) })
    const { meta } = await collect(store, buildCluster({ pods: [runnerPod] }).kubernetes)
    expect(meta.sources.get('journal/n1')).toMatchObject({
      coverage: { from: NOW - 60_000, remark: 'from the log store; truncated: more than 50000 lines' },
    })
  })

  it.each([
    ['forbidden', blind('forbidden', 'Loki answered 403')],
    ['expired', blind('expired', 'Loki has no line')],
  ])('is blind where the store is: %s', async (code, answer) => {
    const { sources, files } = await collect(
      keep({ journal: async () => answer }),
      buildCluster({ pods: [runnerPod] }).kubernetes,
    )
    expect(sources['journal/n1']).toBe(`${code}: ${answer.reason.detail}`)
    expect(files.has('journal/n1.jsonl')).toBe(false)
  })

  it('asks nobody without a store', async () => {
    const { sources } = await collect(null, buildCluster({ pods: [runnerPod] }).kubernetes)
    expect(sources['journal/n1']).toBeUndefined()
  })
})

describe('the logs of a runner', () => {
  it('are those of the cluster where it has them', async () => {
    const store = keep()
    const { files } = await collect(store, buildCluster({ pods: [runnerPod] }).kubernetes)
    expect(files.get(`${LOG}.log`)).toBe('2026-06-06T21:00:00Z x\n')
    expect(store.asked.some(([what]) => what.endsWith(RUNNER))).toBe(false)
  })

  it('are kept ones where they may not be read, and where the pod is gone', async () => {
    const refused = await collect(keep(), blindLogs(buildCluster({ pods: [runnerPod] }).kubernetes))
    expect([refused.files.get(`${LOG}.log`), refused.sources[LOG]]).toEqual(['kept\n', 'looked'])
    const event = object('e', {
      involvedObject: { kind: 'Pod', name: RUNNER, namespace: 'runners', uid: 'u' },
      reason: 'Killing',
    })
    const gone = await collect(keep(), buildCluster({ events: [event] }).kubernetes)
    expect(gone.files.get(`${LOG}.log`)).toBe('kept\n')
  })

  it('say both reasons where neither has them, and a container is no path', async () => {
    const none = await collect(
      keep({ podLogs: async () => blind('expired', 'Loki has no line') }),
      blindLogs(buildCluster({ pods: [runnerPod] }).kubernetes),
    )
    expect([none.sources[LOG], none.sources[`logs/runners/${RUNNER}`]]).toEqual([
      'forbidden: 403 pods/log',
      'expired: Loki has no line',
    ])
    const odd = keep({
      podLogs: async (_, window) => seen([{ container: '../../etc', text: 'x', ...window, cut: null }]),
    })
    const { files } = await collect(odd, blindLogs(buildCluster({ pods: [runnerPod] }).kubernetes))
    expect([...files.keys()].some((path) => path.includes('etc'))).toBe(false)
  })
})

describe('the logs of a fleet', () => {
  const pod = object(
    'linux-x-runner-1',
    { spec: { nodeName: 'n1', containers: [{ name: 'runner' }] } },
    { 'actions-ephemeral-runner': 'True', 'actions.github.com/scale-set-name': 'linux' },
  )

  it('come from the store where they may not be read in the cluster', async () => {
    const kubernetes = blindLogs(buildCluster({ pods: [pod] }).kubernetes)
    const { files, sources } = await gathered({ kubernetes, logStore: keep() })
    expect(files.get('logs/runners/linux-x-runner-1/runner.log')).toBe('kept\n')
    expect(sources['logs']).toBe('looked')
    const without = await gathered({ kubernetes, logStore: keep({ podLogs: async () => blind('expired', 'none') }) })
    expect(without.sources['logs']).toBe('forbidden: 403 pods/log')
  })
})
