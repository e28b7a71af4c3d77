import { describe, expect, it } from 'vitest'
import {
  TEMPLATE,
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  node,
  otherPod,
  refusedPod,
  starting,
  waitingPod,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const RAISE = /(?:raise|set|increase) (?:the )?(?:maxRunners|maximum|maxReplicas)/i

/** What the operator guide forbids. */
describe('the first advice never', () => {
  const reached = { max: 1, queued: [300, 300], runners: [busy('b')] }
  const hints = (findings: ReturnType<typeof examineLane>) => findings.map(({ hint }) => hint).join('\n')

  it('raises a maximum, except for a lane without any other limiter, and only up to what the next one admits', () => {
    expect(hints(examineLane(reached))).toMatch(RAISE)
    expect(hints(examineLane(reached))).toContain('at most 8, the number that cpu admits')
  })

  it.each([
    ['the listener', { listener: { terminated: { exitCode: 1, finishedAt: ago(1000) } } }],
    ['an image', { runners: [busy('b'), starting('s', waitingPod('ImagePullBackOff'))] }],
    [
      'the scheduler',
      { runners: [busy('b'), starting('s', refusedPod('0/1 nodes are available: 1 Insufficient memory.'))] },
    ],
    ['pod slots', { runners: [busy('b'), starting('s', refusedPod('0/1 nodes are available: 1 Too many pods.'))] }],
    [
      'a volume',
      {
        runners: [
          busy('b'),
          starting('s', refusedPod('0/1 nodes are available: 1 node(s) had volume node affinity conflict.')),
        ],
      },
    ],
    ['full nodes', { nodes: [node('a', { memory: '5Gi' })] }],
    [
      'a quota',
      {
        lists: {
          resourcequotas: [
            { metadata: { namespace: 'arc', name: 'q' }, status: { hard: { pods: '1' }, used: { pods: '1' } } },
          ],
        },
      },
    ],
    ['runners that do no work', { max: 2, runners: [busy('b'), { name: 'dead', github: 'offline' as const }] }],
    [
      'a disk without room',
      {
        stats: { a: { node: { runtime: { imageFs: { availableBytes: 0, capacityBytes: 1e12 } } } } },
        template: {
          containers: [{ name: 'runner', resources: { requests: { cpu: '1', 'ephemeral-storage': '1Gi' } } }],
        },
      },
    ],
  ])('raises a maximum while the limiter is %s', (_, rest) => {
    expect(hints(examineLane({ ...reached, ...rest }))).not.toMatch(RAISE)
  })

  it('counts the memory of the whole cluster: 3 nodes with 3Gi each have no room for a runner of 4Gi', () => {
    const nodes = ['a', 'b', 'c'].map((name) => node(name, { memory: name === 'a' ? '7Gi' : '3Gi' }))
    const findings = examineLane({ ...reached, nodes })
    expect(firstLimiter(findings)).toBe('scheduler-resource-pressure')
    expect(findings[0]?.fields).toMatchObject({ admits: 1, insufficient: { memory: 3 } })
  })

  it('blames capacity for a Pending pod before it reads the waiting reason', () => {
    const full = {
      ...reached,
      nodes: [node('a', { cpu: '2' })],
      runners: [starting('s', waitingPod('ImagePullBackOff'))],
    }
    expect(listClasses(examineLane(full))).toEqual(['image-pull-behind-pending'])
    const creating = { ...reached, max: 5, queued: [20], runners: [starting('s', waitingPod('ContainerCreating'))] }
    expect(examineLane(creating)).toEqual([])
  })

  it('deletes a runner, least of all one with a job', () => {
    const cases = [
      reached,
      { ...reached, nodes: [node('a', { pods: '2' })] },
      { ...reached, runners: [busy('b'), { name: 'idle', age: 900 }] },
      { ...reached, max: 2, runners: [busy('b'), { name: 'dead', github: 'offline' as const }] },
    ]
    for (const one of cases) expect(hints(examineLane(one))).not.toMatch(/delete|remove|kill/i)
  })

  it('counts ended pods as slots in use', () => {
    const ended = Array.from({ length: 20 }, (_, index) =>
      otherPod(`done-${index}`, { phase: index % 2 ? 'Failed' : 'Succeeded' }),
    )
    const findings = examineLane({
      max: 4,
      queued: [300],
      runners: [busy('b')],
      nodes: [node('a', { pods: '20' })],
      otherPods: ended,
      template: TEMPLATE,
    })
    expect(findings).toEqual([])
  })
})
