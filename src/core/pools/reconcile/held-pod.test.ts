import { describe, expect, it } from 'vitest'
import { judgeRelease, readHeldPod } from './held-pod.ts'
import type { ReleaseTerms } from './held-pod.ts'

const NOW = Date.parse('2026-06-06T12:00:00Z')
const FINALIZER = 'signalbox.dev/evidence'

const terminated = { terminated: { exitCode: 0 } }
const ENDED = { phase: 'Succeeded', containerStatuses: [{ name: 'runner', state: terminated }] }
const RUNNING = {
  phase: 'Running',
  initContainerStatuses: [{ name: 'poller', state: terminated }],
  containerStatuses: [{ name: 'runner', state: { running: { startedAt: '2026-06-06T10:00:00Z' } } }],
}

const pod = ({ metadata = {}, status = ENDED }: { readonly metadata?: object; readonly status?: object }) => ({
  metadata: {
    name: 'linux-1',
    namespace: 'runners',
    uid: 'uid-1',
    labels: { 'signalbox.dev/pool': 'linux' },
    finalizers: [FINALIZER],
    deletionTimestamp: '2026-06-06T11:00:00Z',
    ...metadata,
  },
  spec: { nodeName: 'n1', initContainers: [{ name: 'poller' }], containers: [{ name: 'runner' }] },
  status,
})

function judged(object: object, terms: Partial<ReleaseTerms> = {}) {
  const held = readHeldPod(object)
  if (held === null) return null
  return judgeRelease(held, { olderThanMs: 600_000, force: false, ...terms }, NOW)
}

describe('a pod that our finalizer holds', () => {
  it('may go if it has ended and should have been gone for long', () => {
    expect(judged(pod({}))).toEqual({ kind: 'may', why: expect.stringContaining('for 1h') as string })
  })

  it.each([
    ['of somebody else', pod({ metadata: { labels: {} } })],
    ['without our finalizer', pod({ metadata: { finalizers: ['other.dev/keeps'] } })],
  ])('is none of ours: %s', (_title, object) => {
    expect(judged(object)).toBeNull()
  })

  it.each([
    ['runs', pod({ status: RUNNING }), 'no-worker-process'],
    ['is not being deleted', pod({ metadata: { deletionTimestamp: undefined } }), 'identity'],
    ['is held by others too', pod({ metadata: { finalizers: [FINALIZER, 'other.dev/keeps'] } }), 'identity'],
    ['was deleted a moment ago', pod({ metadata: { deletionTimestamp: '2026-06-06T11:59:00Z' } }), 'old-enough'],
    ['has a grace that is not over', pod({ metadata: { deletionTimestamp: '2026-06-06T12:30:00Z' } }), 'old-enough'],
  ])('stays if it %s', (_title, object, gate) => {
    expect(judged(object)).toMatchObject({ kind: 'stays', gate })
  })

  it('that runs, or that nobody deletes, goes only by force', () => {
    for (const object of [pod({ status: RUNNING }), pod({ metadata: { deletionTimestamp: undefined } })])
      expect(judged(object, { force: true })).toMatchObject({ kind: 'may' })
  })

  it('is not young by force', () => {
    const young = pod({ metadata: { deletionTimestamp: '2026-06-06T11:59:00Z' } })
    expect(judged(young, { force: true })).toMatchObject({ kind: 'stays', gate: 'old-enough' })
    expect(judged(young, { force: true, olderThanMs: 0 })).toMatchObject({ kind: 'may' })
  })
})
