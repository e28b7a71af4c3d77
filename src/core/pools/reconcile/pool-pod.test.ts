import { describe, expect, it } from 'vitest'
import { POOL_LABEL } from '#/core/pools/own-pod.ts'
import { readPoolPod } from './pool-pod.ts'

const BASE = { name: 'linux-1', namespace: 'runners', uid: 'u1', labels: { [POOL_LABEL]: 'linux' } }
const container = (name: string, state: object) => ({ name, restartCount: 0, state })
const WAITS = { waiting: { reason: 'PodInitializing' } }
const RUNS = { running: { startedAt: '2026-06-01T12:00:00Z' } }
const ended = (exitCode: number, message = '') => ({ terminated: { exitCode, reason: 'Error', message } })

function podOf({ poller = WAITS, runner = WAITS, node = 'n1', ...status }: Record<string, unknown>) {
  return {
    metadata: BASE,
    spec: { restartPolicy: 'Never', ...(node === null ? {} : { nodeName: node }) },
    status: {
      phase: 'Pending',
      initContainerStatuses: [container('poller', poller as object)],
      containerStatuses: [container('runner', runner as object)],
      ...status,
    },
  }
}

describe('a pod of a pool', () => {
  it.each([
    ['has no node yet', { node: null }, 'scheduling'],
    ['is being started', {}, 'starting'],
    ['waits for a job', { poller: RUNS }, 'waiting'],
    ['was given a job', { poller: ended(0) }, 'running'],
    ['runs one', { poller: ended(0), runner: RUNS, phase: 'Running' }, 'running'],
    ['has a poller that failed', { poller: ended(1) }, 'failing'],
    ['has a runner that ended', { poller: ended(0), runner: ended(0), phase: 'Running' }, 'ended'],
    ['has failed', { poller: ended(143), phase: 'Failed' }, 'ended'],
  ])('that %s', (_title, given, life) => {
    expect(readPoolPod(podOf(given))?.life).toBe(life)
  })

  it('says what keeps it from starting', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes fit' }]
    expect(readPoolPod(podOf({ node: null, conditions }))?.obstacle).toBe(
      'PodScheduled is False: Unschedulable: 0/3 nodes fit',
    )
    const poller = { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }
    expect(readPoolPod(podOf({ poller }))?.obstacle).toBe('container poller waits: ImagePullBackOff: no such image')
    expect(readPoolPod(podOf({ poller: ended(7, 'no route to serve') }))?.obstacle).toBe(
      'container poller ended with exit code 7: Error: no route to serve',
    )
    expect(readPoolPod(podOf({}))?.obstacle).toBeNull()
  })

  it('is none without the label of a pool', () => {
    expect(readPoolPod({ ...podOf({}), metadata: { ...BASE, labels: {} } })).toBeNull()
  })
})
