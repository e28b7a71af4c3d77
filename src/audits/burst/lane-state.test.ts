import { describe, expect, it } from 'vitest'
import {
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  job,
  refusedPod,
  starting,
  waitingPod,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const NO_CPU = '0/1 nodes are available: 1 Insufficient cpu.'

describe('a lane below its maximum for which no new runner is created', () => {
  const lane = (queued: number) =>
    examineLane({ max: 5, queued: [queued], runners: [{ name: 'a', repository: 'org/web', github: 'busy' }] })

  it('is queued behind its own runners, and they are the limiter', () => {
    const [finding, ...others] = lane(301)
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      class: 'queued-behind-active-runner-capacity',
      fields: { firstLimiter: true, admits: 1 },
    })
    expect(finding?.hint).not.toMatch(/maxRunners|delete/)
  })

  it('is not reported for as long as a runner takes to start', () => {
    expect(lane(300)).toEqual([])
  })
})

describe('a starved lane', () => {
  const starving = (queued: number, idle: number) =>
    listClasses(examineLane({ max: 1, queued: [queued], runners: [{ name: 'idle', age: idle }] }))

  it.each([
    [119, 900, []],
    [120, 900, ['starved']],
    [121, 900, ['starved']],
    [900, 119, []],
    [900, 120, ['starved']],
  ])('with a job waiting %i s and a runner idle for %i s: %j', (queued, idle, classes) => {
    expect(starving(queued, idle)).toEqual(classes)
  })

  it('is critical, and the limiter if there is no other, whatever the maximum is', () => {
    const [finding] = examineLane({ max: 1, queued: [300], runners: [{ name: 'idle' }] })
    expect(finding).toMatchObject({ severity: 'critical', fields: { firstLimiter: true, idle: 1, waiting: 1 } })
    expect(finding?.hint).not.toMatch(/maxRunners|delete/)
  })

  it('never needs more runners, however many jobs wait', () => {
    expect(listClasses(examineLane({ max: 1, queued: [300, 300, 300], runners: [{ name: 'idle' }] }))).toEqual([
      'starved',
    ])
  })

  it.each([
    ['offline at GitHub', { github: 'offline' }],
    ['not listed at GitHub', { github: 'absent' }],
    ['busy at GitHub', { github: 'busy' }],
    ['not ready', { status: { phase: 'Running', ready: false, runnerId: 1 } }],
  ] as const)('needs more than a runner that is %s', (_, rest) => {
    const runners = [{ name: 'idle', ...rest }]
    expect(listClasses(examineLane({ max: 5, queued: [300], runners }))).not.toContain('starved')
  })

  it("is unknown while GitHub's runner list is blind", () => {
    const lane = { max: 5, queued: [300], runners: [{ name: 'idle' }] }
    expect(listClasses(examineLane(lane))).toEqual(['starved'])
    expect(examineLane({ ...lane, areRunnersBlind: true })).toEqual([])
  })

  it('needs a runner that can take the job', () => {
    const queued = [job('other/web', 300), job('org/web', 300, ['linux', 'gpu'])]
    expect(listClasses(examineLane({ max: 5, queued, runners: [{ name: 'idle' }] }))).not.toContain('starved')
  })

  it('is not reported if the listener is down or an image cannot be pulled', () => {
    const lane = { max: 5, queued: [300], runners: [{ name: 'idle' }] }
    const down = examineLane({ ...lane, listener: { terminated: { exitCode: 1, finishedAt: ago(1000) } } })
    expect(listClasses(down)).toEqual(['listener-unhealthy'])
    const image = starting('image', waitingPod('ErrImagePull'))
    expect(listClasses(examineLane({ ...lane, runners: [{ name: 'idle' }, image] }))).toEqual([
      'image-pull-behind-pending',
    ])
  })

  it('is reported next to a limiter that shows in a pod', () => {
    const runners = [{ name: 'idle' }, starting('cpu', refusedPod(NO_CPU))]
    const findings = examineLane({ max: 5, queued: [300], runners })
    expect(listClasses(findings)).toEqual(['scheduler-resource-pressure', 'starved'])
    expect(firstLimiter(findings)).toBe('scheduler-resource-pressure')
  })
})

describe('a saturated lane', () => {
  it('has jobs that wait, no idle runner, and the maximum or the nodes as limiter', () => {
    expect(listClasses(examineLane({ max: 1, queued: [10], runners: [busy('b')] }))).toContain('saturated')
    const refused = [busy('b'), starting('cpu', refusedPod(NO_CPU))]
    expect(listClasses(examineLane({ max: 5, queued: [10], runners: refused }))).toContain('saturated')
  })

  it('has no idle runner, not even for a moment', () => {
    const runners = [busy('b'), { name: 'idle', age: 5 }]
    expect(listClasses(examineLane({ max: 2, queued: [10, 10, 10], runners }))).toEqual(['declared-max-reached'])
  })

  it('is not limited by a quota', () => {
    const message = 'is forbidden: exceeded quota: q'
    const failed = { name: 'f', pod: null, status: { phase: 'Failed', reason: 'InvalidPod', message } }
    expect(listClasses(examineLane({ max: 5, queued: [10], runners: [busy('b'), failed] }))).toEqual(['quota-limit'])
  })

  it('is not reported if only pods wait and the queue is empty', () => {
    const runners = [starting('cpu', refusedPod(NO_CPU))]
    expect(listClasses(examineLane({ max: 5, runners }))).toEqual(['scheduler-resource-pressure'])
  })
})

describe('work that is queued behind active runners', () => {
  it('lists the holders with workflow, runner and start time, longest first', () => {
    const runners = [busy('new', 'org/api'), { name: 'old', repository: 'org/web', age: 3600 }]
    const finding = examineLane({ max: 2, queued: [10], runners }).find(({ class: name }) => name.startsWith('queued-'))
    expect(finding?.fields?.['holders']).toEqual([
      { repository: 'org/web', workflow: 'w', runner: 'old', since: '2026-06-01T11:00:00Z' },
      { repository: 'org/api', workflow: 'w', runner: 'new', since: '2026-06-01T11:45:00Z' },
    ])
  })

  it('has null as start time if it is unknown', () => {
    const status = { phase: 'Running', ready: true, runnerId: 1, jobRepositoryName: 'org/web' }
    const runners = [{ name: 'b', github: 'busy', status } as const]
    const finding = examineLane({ max: 1, queued: [10], runners }).find(({ class: name }) => name.startsWith('queued-'))
    expect(finding?.fields?.['holders']).toEqual([{ repository: 'org/web', workflow: null, runner: 'b', since: null }])
  })

  it('includes a holder that only GitHub knows', () => {
    const runners = [{ name: 'b', github: 'busy' } as const]
    const running = [
      {
        ...job('org/secret', 500),
        status: 'in_progress',
        runner_name: 'b',
        started_at: ago(400_000),
        workflow_name: 'ci',
      },
    ]
    const finding = examineLane({ max: 1, queued: [10], running, runners }).find(({ class: name }) =>
      name.startsWith('queued-'),
    )
    expect(finding?.fields?.['holders']).toMatchObject([{ repository: 'org/secret', workflow: 'ci', runner: 'b' }])
  })

  it('is not reported while one of the runners does no work', () => {
    const dead = { name: 'dead', github: 'offline', status: { phase: 'Running', ready: true, runnerId: 1 } } as const
    const findings = examineLane({ max: 2, queued: [10], runners: [busy('b'), dead] })
    expect(listClasses(findings)).not.toContain('queued-behind-active-runner-capacity')
    expect(findings[0]?.hint).toContain('signalbox audit runtime')
  })
})

describe('contention for a shared label', () => {
  const lane = (holders: readonly string[], waiting: readonly string[]) =>
    listClasses(
      examineLane({
        max: holders.length,
        queued: waiting.map((repository) => job(repository, 60)),
        runners: holders.map((repository, index) => busy(`r${index}`, repository)),
      }),
    ).includes('shared-label-fairness-contention')

  it.each([
    [['org/a', 'org/b'], ['org/c'], true],
    [['org/a', 'org/b'], ['org/a'], false],
    [['org/a', 'org/b'], ['org/a', 'org/c'], true],
    [['org/a', 'org/a'], ['org/c'], false],
    [['org/a', 'org/b'], ['ORG/A'], false],
  ])('with %j holding and %j waiting is %s', (holders, waiting, isContended) => {
    expect(lane(holders, waiting)).toBe(isContended)
  })

  it('is not reported while a runner starts for the waiting job', () => {
    const runners = [busy('a', 'org/a'), busy('b', 'org/b'), starting('s', waitingPod('ContainerCreating'))]
    expect(examineLane({ max: 3, queued: [job('org/c', 5)], runners })).toEqual([])
  })
})
