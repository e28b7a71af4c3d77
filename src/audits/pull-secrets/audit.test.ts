import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import {
  controllerDeployment,
  buildListener,
  listenerPod,
  podEvent,
  pullSecret,
  runnerPod,
  scaleSet,
  buildSecret,
} from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { pullSecrets } from './audit.ts'

const named = (...names: readonly string[]) => ({ imagePullSecrets: names.map((name) => ({ name })) })
const DENIED = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x": ErrImagePull: 403 Forbidden' }

/** Runners and listeners reference ghcr-pull, and both namespaces have the same one. */
const HEALTHY: Lists = {
  autoscalingrunnersets: [scaleSet('lane', { template: named('ghcr-pull') })],
  autoscalinglisteners: [buildListener('lane', named('ghcr-pull'))],
  deployments: [controllerDeployment(named('ghcr-pull'))],
  pods: [runnerPod('lane', 'r1', { spec: named('ghcr-pull') }), listenerPod('lane', { spec: named('ghcr-pull') })],
  secrets: [
    pullSecret('arc-runners', 'ghcr-pull', { 'ghcr.io': 'robot:a' }),
    pullSecret('arc-systems', 'ghcr-pull', { 'ghcr.io': 'robot:a' }),
  ],
}

const DECLARED: FleetFile = {
  pullSecrets: [
    { name: 'ghcr-pull', authoritative: { namespace: 'arc-runners' }, copies: [{ namespace: 'arc-systems' }] },
  ],
}

function reported(lists: Lists, declared?: FleetFile): readonly string[] {
  const others = declared === undefined ? {} : { fleetFile: seen(declared) }
  const fleet = buildFleet({ ...HEALTHY, ...lists }, others)
  return pullSecrets
    .examine(fleet, WHOLE_FLEET)
    .map(({ class: name, severity, subject }) =>
      [name, severity, [subject.namespace, subject.name].filter((part) => part !== undefined).join('/')].join(' '),
    )
}

const MATCH = 'secret-match info arc-systems/ghcr-pull'
const [RUNNERS, SYSTEMS] = HEALTHY.secrets as readonly [object, object]

describe('the copies of a pull secret', () => {
  it('agree', () => {
    expect(reported({})).toEqual([MATCH])
    expect(reported({}, DECLARED)).toEqual([MATCH])
  })

  it('have drifted if a credential differs, and the evidence names the registry and no value', () => {
    const secrets = [RUNNERS as never, pullSecret('arc-systems', 'ghcr-pull', { 'ghcr.io': 'robot:secret-b' })]
    expect(reported({ secrets })).toEqual(['secret-drift warning arc-systems/ghcr-pull'])
    const [finding] = pullSecrets.examine(buildFleet({ ...HEALTHY, secrets }), WHOLE_FLEET)
    expect(finding?.evidence).toEqual(['ghcr.io: a different credential than in arc-runners/ghcr-pull'])
    expect(JSON.stringify(finding)).not.toMatch(/robot|secret-b|sha256|[0-9a-f]{32}/)
  })

  it("are not compared with Secrets of the same name outside the fleet's namespaces", () => {
    const other = pullSecret('web', 'ghcr-pull', { 'ghcr.io': 'shop:x' })
    expect(reported({ secrets: [RUNNERS as never, SYSTEMS as never, other] })).toEqual([MATCH])
  })

  it('of several runner namespaces agree if the controller’s is equal to one of them', () => {
    const sets = [
      scaleSet('lane', { template: named('ghcr-pull') }),
      scaleSet('b', { namespace: 'team-b', template: named('ghcr-pull') }),
    ]
    const theirs = pullSecret('team-b', 'ghcr-pull', { 'ghcr.io': 'team:b' })
    expect(reported({ autoscalingrunnersets: sets, secrets: [theirs, RUNNERS as never, SYSTEMS as never] })).toEqual([
      MATCH,
    ])
  })

  it('are unknown if Secrets could not be read', () => {
    expect(reported({ secrets: blind('forbidden', '403') }, DECLARED)).toEqual([])
  })
})

describe('a pull secret that is missing', () => {
  it('is a warning while the image is on the node, also if the kubelet has missed it', () => {
    const pod = runnerPod('lane', 'r1', { spec: named('ghcr-pull') })
    const missed = podEvent(
      pod,
      'FailedToRetrieveImagePullSecret',
      'Unable to retrieve some image pull secrets (ghcr-pull); attempting to pull the image may not succeed.',
    )
    expect(reported({ secrets: [SYSTEMS as never], pods: [pod], events: [missed] })).toEqual([
      'secret-missing warning arc-runners/ghcr-pull',
    ])
  })

  it('is critical if a pod is refused because of it, and is the only finding', () => {
    const pods = [listenerPod('lane', { spec: named('ghcr-pull'), waiting: DENIED })]
    expect(reported({ secrets: [RUNNERS as never], pods })).toEqual(['secret-missing critical arc-systems/ghcr-pull'])
    // If no namespace has it, its content is unknown.
    const sets = [scaleSet('lane')]
    expect(reported({ secrets: [], pods, autoscalingrunnersets: sets })).toEqual([
      'secret-missing critical arc-systems/ghcr-pull',
    ])
  })

  it('is not the reason for a pod that does not reference it', () => {
    const pods = [listenerPod('lane', { spec: named('other'), waiting: DENIED })]
    const secrets = [RUNNERS as never, pullSecret('arc-systems', 'other', { 'quay.io': 'robot:a' })]
    expect(reported({ secrets, pods })).toEqual([
      'secret-missing warning arc-systems/ghcr-pull',
      'registry-not-covered warning ghcr.io',
    ])
  })

  it('is reported missing if the fleet file requires it, although nothing references it', () => {
    const lists = {
      autoscalingrunnersets: [scaleSet('lane')],
      autoscalinglisteners: [buildListener('lane')],
      deployments: [controllerDeployment()],
      pods: [],
      secrets: [buildSecret('arc-runners', 'x')],
    }
    expect(reported(lists, DECLARED)).toEqual([
      'secret-missing warning arc-runners/ghcr-pull',
      'secret-missing warning arc-systems/ghcr-pull',
    ])
    expect(reported(lists)).toEqual([])
  })

  it('does not hide that its copy would not cover the image either', () => {
    const pods = [listenerPod('lane', { spec: named('ghcr-pull'), waiting: DENIED })]
    const secrets = [pullSecret('arc-runners', 'ghcr-pull', { 'quay.io': 'robot:a' })]
    expect(reported({ secrets, pods })).toEqual([
      'secret-missing critical arc-systems/ghcr-pull',
      'registry-not-covered warning ghcr.io',
    ])
  })
})

describe('a pull secret of a wrong type', () => {
  it('is reported once, with the pods that are refused because of it', () => {
    const secrets = [pullSecret('arc-runners', 'ghcr-pull', { 'ghcr.io': 'robot:a' }, 'Opaque'), SYSTEMS as never]
    const pods = [runnerPod('lane', 'r1', { spec: named('ghcr-pull'), waiting: DENIED })]
    expect(reported({ secrets, pods })).toEqual(['secret-wrong-type warning arc-runners/ghcr-pull'])
  })
})

describe('an unreferenced pull secret', () => {
  const unnamed = { autoscalinglisteners: [buildListener('lane')], deployments: [controllerDeployment()], pods: [] }

  it('is reported if the fleet file requires it', () => {
    expect(reported(unnamed, DECLARED)).toEqual([MATCH, 'secret-not-referenced warning arc-systems/ghcr-pull'])
    expect(reported(unnamed)).toEqual([MATCH])
  })

  it.each([
    [
      'a ServiceAccount lends it',
      { serviceaccounts: [{ metadata: { namespace: 'arc-systems', name: 'default' }, ...named('ghcr-pull') }] },
    ],
    ['the ServiceAccounts could not be read', { serviceaccounts: blind('forbidden', '403') }],
    ['the listeners could not be read', { autoscalinglisteners: blind('forbidden', '403') }],
    [
      'the controller hands it to its listeners',
      {
        deployments: [
          controllerDeployment({
            containers: [
              {
                name: 'manager',
                image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2',
                args: ['--auto-scaler-image-pull-secrets=a,ghcr-pull'],
              },
            ],
          }),
        ],
      },
    ],
  ])('is not reported if %s', (_, lists) => {
    expect(reported({ ...unnamed, ...lists }, DECLARED)).not.toContain(
      'secret-not-referenced warning arc-systems/ghcr-pull',
    )
  })

  it('is reported if a pod of its namespace is refused without it', () => {
    const pods = [listenerPod('lane', { waiting: DENIED })]
    expect(reported({ ...unnamed, pods })).toEqual([
      MATCH,
      'registry-not-covered warning ghcr.io',
      'secret-not-referenced warning arc-systems/ghcr-pull',
    ])
    expect(reported({ ...unnamed, pods }, DECLARED).filter((line) => line.includes('not-referenced'))).toHaveLength(1)
  })

  it('does not come from a ServiceAccount if the template references another', () => {
    const serviceaccounts = [{ metadata: { namespace: 'arc-runners', name: 'default' }, ...named('lent') }]
    expect(reported({ serviceaccounts })).toEqual([MATCH])
    expect(reported({ serviceaccounts, autoscalingrunnersets: [scaleSet('lane')] })).toContain(
      'secret-missing warning arc-runners/lent',
    )
  })
})

describe('a registry that refuses', () => {
  const spec = named('ghcr-pull')

  it('is not covered if the matching credential has no access', () => {
    const pods = [runnerPod('lane', 'r1', { spec, waiting: DENIED })]
    expect(reported({ pods })).toEqual([MATCH, 'registry-not-covered warning ghcr.io'])
  })

  it('reports whether another copy differs', () => {
    const foreign = pullSecret('web', 'ghcr-pull', { 'ghcr.io': 'shop:x' })
    const secrets = [foreign, RUNNERS as never, pullSecret('arc-systems', 'ghcr-pull', { 'ghcr.io': 'robot:old' })]
    const pods = [listenerPod('lane', { spec, waiting: DENIED })]
    const findings = pullSecrets.examine(buildFleet({ ...HEALTHY, secrets, pods }), WHOLE_FLEET)
    const finding = findings.find(({ subject }) => subject.kind === 'Registry')
    expect(finding?.fields).toMatchObject({ credential: 'refused', otherCopyDiffers: true })
    expect(finding?.evidence).toContain('arc-runners/ghcr-pull holds another credential for it')
    expect(finding?.evidence.join()).not.toContain('web/')
  })

  it('is reported for pods without any pull secret, also if the Secrets could not be read', () => {
    const lists = { autoscalingrunnersets: [scaleSet('lane')], secrets: blind('forbidden', '403') as never }
    expect(reported({ ...lists, pods: [runnerPod('lane', 'r1', { waiting: DENIED })] })).toEqual([
      'registry-not-covered warning ghcr.io',
    ])
    expect(reported({ ...lists, pods: [runnerPod('lane', 'r1', { spec, waiting: DENIED })] })).toEqual([])
  })

  it('is unknown if only the digest of the whole Secret is known', () => {
    const sealed = buildSecret(
      'arc-runners',
      'ghcr-pull',
      { '.dockerconfigjson': `sha256:${'a'.repeat(64)}` },
      'kubernetes.io/dockerconfigjson',
    )
    const pods = [runnerPod('lane', 'r1', { spec, waiting: DENIED })]
    expect(reported({ secrets: [sealed], pods, autoscalinglisteners: [], deployments: [] })).toEqual([
      'blind warning kubernetes/secrets',
    ])
  })

  it.each([
    ['a pod that a job started', { labels: { 'runner-pod': 'r1' }, ownerReferences: [] }],
    ['a pod that is gone', { annotations: { 'signalbox.dev/last-seen': '2026-06-01T11:00:00Z' } }],
  ])('does not count for %s', (_, metadata) => {
    const pods = [runnerPod('lane', 'r1', { waiting: DENIED, metadata })]
    expect(reported({ pods })).toEqual([MATCH])
  })

  it('is one finding for all its pods', () => {
    const pods = ['r1', 'r2', 'r3'].map((name) => runnerPod('lane', name, { spec, waiting: DENIED }))
    expect(reported({ pods })).toEqual([MATCH, 'registry-not-covered warning ghcr.io'])
  })
})

describe('many sets', () => {
  it('are judged in time', () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `lane-${index}`)
    const fleet = buildFleet({
      autoscalingrunnersets: names.map((name) => scaleSet(name, { namespace: name, template: named(`pull-${name}`) })),
      autoscalinglisteners: names.map((name) => buildListener(name, named(`pull-${name}`))),
      secrets: names.map((name) => pullSecret(name, `pull-${name}`, { 'ghcr.io': 'robot:a' })),
    })
    const took = measureCpuMs(() => expect(pullSecrets.examine(fleet, WHOLE_FLEET)).toHaveLength(names.length))
    expect(took).toBeLessThan(4_000)
  })
})
