import { describe, expect, it } from 'vitest'
import {
  TEMPLATE,
  busy,
  listClasses,
  examineLane,
  firstLimiter,
  job,
  node,
  otherPod,
  starting,
  waitingPod,
} from '#test/fleets/burst-lane.ts'
import { ago } from '#test/fleets/build-fleet.ts'

const BLIND = { kind: 'blind', reason: { code: 'forbidden', detail: '403' } } as const

describe('a label that nothing serves', () => {
  const unserved = (labels: readonly string[], repository = 'org/web') =>
    examineLane({ queued: [job(repository, 60, labels)] }).map(({ subject }) => `${subject.kind} ${subject.name}`)

  it.each([
    [['gpu'], ['Label gpu']],
    [['self-hosted', 'gpu'], ['Label gpu']],
    [['self-hosted', 'linux'], ['Label self-hosted']],
    [['LINUX'], []],
    [['ubuntu-latest'], []],
    [['self-hosted', 'ubuntu-latest'], ['Label ubuntu-latest']],
    [[], []],
  ])('is found for runs-on %j: %j', (labels, found) => {
    expect(unserved(labels)).toEqual(found)
  })

  it('may be served for another organisation only', () => {
    expect(unserved(['linux'], 'other/web')).toEqual(['Label linux'])
  })

  it('is served by a runner outside ARC with all labels, online or not', () => {
    const otherRunners = [{ name: 'mac', status: 'offline', labels: [{ name: 'self-hosted' }, { name: 'Xcode' }] }]
    const lane = { queued: [job('org/ios', 60, ['self-hosted', 'xcode'])], otherRunners }
    expect(examineLane(lane)).toEqual([])
    expect(listClasses(examineLane({ ...lane, otherRunners: [] }))).toEqual(['label-unserved'])
  })

  it.each(['waiting', 'pending', 'in_progress', 'completed'])('is not reported for a job that is %s', (status) => {
    expect(examineLane({ queued: [{ ...job('org/web', 60, ['gpu']), status }] })).toEqual([])
  })

  it('is not reported if sets or runners could not be read', () => {
    const queued = [job('org/web', 60, ['gpu'])]
    expect(examineLane({ queued, areRunnersBlind: true })).toEqual([])
    expect(examineLane({ queued, lists: { autoscalingrunnersets: BLIND } })).toEqual([])
  })

  it('can be selected by name', () => {
    const queued = [job('org/web', 60, ['gpu']), job('org/web', 60, ['arm'])]
    expect(examineLane({ queued, question: { labels: ['GPU'] } }).map(({ subject }) => subject.name)).toEqual(['gpu'])
  })
})

describe('a maximum above what the nodes can hold', () => {
  const beyond = (max: number, rest = {}) => listClasses(examineLane({ max, ...rest }))

  it('is reported for the first runner that does not fit, though nothing waits', () => {
    expect(beyond(8)).toEqual([])
    expect(beyond(9)).toEqual(['declared-max-exceeds-physical'])
  })

  it('counts other pods, but not runners', () => {
    const heavy = otherPod('db', { spec: { containers: [{ resources: { requests: { cpu: '2' } } }] } })
    expect(beyond(8, { otherPods: [heavy] })).toEqual(['declared-max-exceeds-physical'])
    expect(beyond(8, { runners: [busy('a'), busy('b')] })).toEqual([])
  })

  it('counts cordoned and not ready nodes', () => {
    expect(beyond(16, { nodes: [node('a'), node('b', {}, { spec: { unschedulable: true } })] })).toEqual([])
  })

  it('is not reported for a set without a maximum, with a node autoscaler, or if nodes or pods could not be read', () => {
    expect(examineLane({})).toEqual([])
    const made = [node('a', {}, { metadata: { name: 'a', labels: { 'karpenter.sh/nodepool': 'x' } } })]
    expect(beyond(99, { nodes: made })).toEqual([])
    expect(beyond(99, { lists: { nodes: BLIND } })).toEqual([])
    expect(beyond(99, { lists: { pods: BLIND } })).toEqual([])
  })

  it('is reported for one set although the other has room, and for placement if no node fits', () => {
    const set = (name: string, template: object) => ({
      metadata: { namespace: 'arc', name, creationTimestamp: ago(1000) },
      spec: { runnerScaleSetName: 'linux', maxRunners: 3, template: { spec: template } },
    })
    const autoscalingrunnersets = [set('linux', TEMPLATE), set('over', { ...TEMPLATE, nodeSelector: { pool: 'over' } })]
    const [finding] = examineLane({ lists: { autoscalingrunnersets } })
    expect(finding?.fields).toEqual({ declaredMax: 6, physical: 3, boundBy: 'placement' })
    expect(finding?.evidence).toContain('arc/over alone: maxRunners 3, 0 fit on 0 nodes')
  })

  it('counts the defaults of a LimitRange', () => {
    const limitranges = [
      {
        metadata: { namespace: 'arc', name: 'r' },
        spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '4' } }] },
      },
    ]
    const lane = { template: { containers: [{ name: 'runner' }] }, lists: { limitranges } }
    expect(beyond(4, lane)).toEqual([])
    expect(beyond(5, lane)).toEqual(['declared-max-exceeds-physical'])
  })
})

describe('scratch volumes', () => {
  const volumes = [{ name: 'work', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } }]
  const fleetFile = { lanes: [{ label: 'linux', requiredVolumes: [{ name: 'work', storageClass: 'fast' }] }] }
  const template = { ...TEMPLATE, volumes }

  it('that an active runner must have and lacks are reported though nothing waits', () => {
    const findings = examineLane({ max: 2, runners: [busy('b')], fleetFile })
    expect(findings).toMatchObject([{ class: 'missing-scratch-volume', fields: { pods: 1 } }])
    expect(firstLimiter(findings)).toBeNull()
    expect(examineLane({ max: 2, runners: [busy('b')], fleetFile, template })).toEqual([])
  })

  it('of another class than declared are missing', () => {
    const persistentvolumeclaims = [
      { metadata: { namespace: 'arc', name: 'b-work' }, spec: { storageClassName: 'slow' } },
    ]
    const lane = { max: 2, runners: [busy('b')], fleetFile, template }
    expect(listClasses(examineLane({ ...lane, lists: { persistentvolumeclaims } }))).toEqual(['missing-scratch-volume'])
  })

  it('that are missing are not reported while something else is the first limiter', () => {
    const down = { terminated: { exitCode: 1, finishedAt: ago(1000) } }
    const findings = examineLane({ max: 2, queued: [10], runners: [busy('b')], fleetFile, listener: down })
    expect(listClasses(findings)).toEqual(['listener-unhealthy'])
  })

  it('of an ended or terminating runner are ignored', () => {
    const ended = { ...busy('b'), pod: { status: { phase: 'Succeeded' } } }
    expect(examineLane({ max: 2, runners: [ended], fleetFile })).toEqual([])
  })

  it('that cannot be mounted are the limiter; a Secret that cannot be mounted is not', () => {
    const lane = (message: string) =>
      firstLimiter(
        examineLane({
          max: 4,
          queued: [400],
          template,
          runners: [starting('s', waitingPod('ContainerCreating'), 400)],
          events: [
            {
              reason: 'FailedMount',
              message,
              involvedObject: { kind: 'Pod', namespace: 'arc', name: 's', uid: 's' },
              lastTimestamp: ago(1),
            },
          ],
        }),
      )
    expect(lane('MountVolume.SetUp failed for volume "pvc-1" : rpc error')).toBe('missing-scratch-volume')
    expect(lane('Unable to attach or mount volumes: unmounted volumes=[work], timed out')).toBe(
      'missing-scratch-volume',
    )
    expect(lane('MountVolume.SetUp failed for volume "token" : secret "x" not found')).toBeNull()
  })
})

describe('a HorizontalPodAutoscaler', () => {
  const hpa = (rest: {
    readonly current?: number
    readonly min?: number
    readonly namespace?: string
    readonly status?: string
  }) => ({
    metadata: { namespace: rest.namespace ?? 'arc', name: 'h' },
    spec: { minReplicas: rest.min ?? 1, maxReplicas: 5, scaleTargetRef: { kind: 'Deployment', name: 'd' } },
    status: {
      currentReplicas: rest.current ?? 5,
      conditions: [{ type: 'ScalingLimited', status: rest.status ?? 'True', reason: 'TooManyReplicas' }],
    },
  })

  it.each([
    ['at its maximum that would scale higher', {}, ['declared-max-reached']],
    ['at its maximum that would not scale higher', { status: 'False' }, []],
    ['below its maximum', { current: 4 }, []],
    ['with equal minimum and maximum', { min: 5 }, []],
    ['of another namespace', { namespace: 'shop' }, []],
  ])('%s is reported: %j', (_, rest, classes) => {
    const findings = examineLane({ max: 2, lists: { horizontalpodautoscalers: [hpa(rest)] } })
    expect(listClasses(findings)).toEqual(classes)
  })

  it('of other pods is in the table of a lane and does not bound its advice', () => {
    const lists = { horizontalpodautoscalers: [hpa({})] }
    const [finding] = examineLane({ max: 1, queued: [300, 300], runners: [busy('b')], lists })
    expect(finding?.fields?.['limiters']).toContainEqual({
      limiter: 'HorizontalPodAutoscaler arc/h',
      admits: 5,
      why: 'Deployment d is at maxReplicas 5',
    })
    expect(finding?.hint).toContain('at most 8, the number that cpu admits')
  })

  it('is not raised while another limiter applies', () => {
    const lane = {
      max: 5,
      runners: [starting('s', waitingPod('ErrImagePull'))],
      lists: { horizontalpodautoscalers: [hpa({})] },
    }
    const finding = examineLane(lane).find(({ subject }) => subject.kind === 'HorizontalPodAutoscaler')
    expect(finding?.hint).toContain('image-pull-behind-pending')
    expect(finding?.hint).not.toContain('raise')
  })
})

describe('a quota', () => {
  const quota = (hard: string, used: string, rest = {}) => [
    { metadata: { namespace: 'arc', name: 'q' }, spec: rest, status: { hard: { pods: hard }, used: { pods: used } } },
  ]
  const lane = { max: 9, queued: [300, 300], runners: [busy('b')] }

  it('that is used up limits the next runner before anything was refused', () => {
    expect(firstLimiter(examineLane({ ...lane, lists: { resourcequotas: quota('1', '1') } }))).toBe('quota-limit')
    expect(firstLimiter(examineLane({ ...lane, lists: { resourcequotas: quota('2', '1') } }))).toBeNull()
  })

  it('that does not apply to such pods does not', () => {
    expect(
      firstLimiter(examineLane({ ...lane, lists: { resourcequotas: quota('1', '1', { scopes: ['BestEffort'] }) } })),
    ).toBeNull()
  })

  const bare = (age: number) => ({ name: 'bare', age, pod: null, github: 'offline', status: { runnerId: 3 } }) as const
  it.each([
    [29, null],
    [30, 'quota-limit'],
  ])('limits a runner with an id but no phase and no pod after %i s: %s', (age, limiter) => {
    const findings = examineLane({ max: 9, runners: [bare(age)], lists: { resourcequotas: quota('9', '1') } })
    expect(firstLimiter(findings)).toBe(limiter)
  })

  it('does not limit such a runner if there is no quota, or pods could not be read', () => {
    expect(examineLane({ max: 2, runners: [bare(600)] })).toEqual([])
    const blind = { resourcequotas: quota('9', '1'), pods: BLIND }
    expect(examineLane({ max: 2, runners: [bare(600)], lists: blind })).toEqual([])
  })

  it.each([
    ['exceeded quota: q, requested: pods=1', 'quota'],
    ['maximum memory usage per Container is 128Mi, but limit is 256Mi', 'LimitRange'],
    ['admission webhook "policy" denied the request', 'admission'],
  ])('refusal "%s" is by the %s', (message, refusedBy) => {
    const failed = { name: 'f', pod: null, status: { phase: 'Failed', reason: 'InvalidPod', message } }
    expect(examineLane({ max: 2, runners: [failed] })).toMatchObject([
      { class: 'quota-limit', fields: { refusedBy, refused: 1, admits: 0 } },
    ])
  })
})
