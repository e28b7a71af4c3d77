import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { seen } from '#/core/basics/observed.ts'
import { controllerDeployment, buildListener, listenerPod, runnerPod, scaleSet } from '#test/fleets/arc-objects.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { ago, buildFleet } from '#test/fleets/build-fleet.ts'
import { drift } from './audit.ts'

const RUNNER = 'ghcr.io/actions/actions-runner'
const ARC = 'ghcr.io/actions/gha-runner-scale-set-controller'
const LISTS: Lists = {
  autoscalingrunnersets: [scaleSet('lane')],
  autoscalinglisteners: [buildListener('lane')],
  deployments: [controllerDeployment()],
  pods: [runnerPod('lane', 'r1'), listenerPod('lane')],
}

const findings = (lists: Lists, ...releases: readonly DeclaredRelease[]): readonly string[] =>
  drift
    .examine(buildFleet({ ...LISTS, ...lists }, { fleetFile: seen({ releases }) }), WHOLE_FLEET)
    .map(({ class: name, severity, subject }) => `${name} ${severity} ${subject.kind} ${subject.name}`)

const runs = (image: string) => ({ spec: { containers: [{ name: 'runner', image }] } })

describe('a fleet compared with its releases', () => {
  it('has no findings if everything is as declared', () => {
    expect(
      findings(
        {},
        { component: RUNNER, declared: '2.335.1', fixedIn: '2.335.0' },
        { component: ARC, declared: '0.14.2' },
      ),
    ).toEqual([])
  })

  it('names the object that sets the old image, once', () => {
    expect(findings({}, { component: RUNNER, declared: '2.336.0' })).toEqual([
      'image-behind-declared warning AutoscalingRunnerSet lane',
    ])
    expect(findings({}, { component: ARC, declared: '0.15.0' })).toEqual([
      'image-behind-declared warning Deployment arc',
      'image-behind-declared warning AutoscalingListener lane-listener',
    ])
  })

  it('sees old pods under a new template, and both versions at once', () => {
    const autoscalingrunnersets = [scaleSet('lane', { runner: { image: `${RUNNER}:2.336.0` } })]
    expect(findings({ autoscalingrunnersets }, { component: RUNNER, declared: '2.336.0' })).toEqual([
      'image-behind-declared warning AutoscalingRunnerSet lane',
      `mixed-versions warning Image ${RUNNER}`,
    ])
  })

  it.each([
    ['a pod that ended', { ...runnerPod('lane', 'old', runs(`${RUNNER}:2.300.0`)), status: { phase: 'Succeeded' } }],
    [
      'a pod that is only remembered',
      runnerPod('lane', 'old', {
        ...runs(`${RUNNER}:2.300.0`),
        metadata: { annotations: { 'signalbox.dev/last-seen': ago(1_000) } },
      }),
    ],
    [
      'an image of another registry',
      runnerPod('lane', 'old', runs('registry.example.com/actions/actions-runner:2.300.0')),
    ],
  ])('does not count %s', (_, pod) => {
    expect(findings({ pods: [runnerPod('lane', 'r1'), pod] }, { component: RUNNER, declared: '2.335.1' })).toEqual([])
  })

  it('reports two versions of ARC without a declaration, of other images only with one', () => {
    const lists = { autoscalinglisteners: [buildListener('lane', { image: `${ARC}:0.14.1` })] }
    expect(findings(lists)).toEqual([`mixed-versions warning Image ${ARC}`])
    const pods = [runnerPod('lane', 'r1', runs(`${RUNNER}:2.300.0`))]
    expect(findings({ pods })).toEqual([])
  })

  it('treats a tag with and without its digest as one version', () => {
    const pods = [runnerPod('lane', 'r1', runs(`${RUNNER}:2.335.1@sha256:${'a'.repeat(64)}`))]
    expect(findings({ pods }, { component: RUNNER, declared: '2.335.1' })).toEqual([])
  })

  it('reports a fix that is not declared yet', () => {
    expect(findings({}, { component: RUNNER, declared: '2.335.1', fixedIn: '2.336.0' })).toEqual([
      `fix-not-released warning Image ${RUNNER}`,
    ])
  })

  it('reports a fix without a release until a build that contains it is declared or runs alone', () => {
    const fix = { component: RUNNER, fixedIn: 'unreleased', issue: 'https://example.com/1' }
    const EXPECTED = [`fix-not-released warning Image ${RUNNER}`]
    expect(findings({}, { ...fix, declared: '2.335.1' })).toEqual(EXPECTED)
    expect(findings({}, { ...fix, declared: '2.335.1', contains: ['2.335.1'] })).toEqual([])
    expect(findings({}, fix)).toEqual(EXPECTED)
    expect(findings({}, { ...fix, contains: ['2.335.1'] })).toEqual([])
  })

  it.each([
    ['a moving tag', `${RUNNER}:latest`],
    ['a commit', `${RUNNER}:0e12345`],
    ['a digest', `${RUNNER}@sha256:${'a'.repeat(64)}`],
  ])('reports %s next to a declared version as unknown, not as up to date', (_, image) => {
    const lists = {
      autoscalingrunnersets: [scaleSet('lane', { runner: { image } })],
      pods: [runnerPod('lane', 'r1', runs(image))],
    }
    const source = `blind warning Source registry/${RUNNER}`
    expect(findings(lists, { component: RUNNER, declared: '2.335.1' })).toEqual([source])
    expect(findings(lists)).toEqual([])
  })

  it('does not report one version in several spellings as mixed, nor a tag that may be any version', () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const pods = [`v2.335.1`, `2.335.1-ubuntu`, `2.335.1@${digest}`, 'latest'].map((tag, index) =>
      runnerPod('lane', `r${index}`, runs(`${RUNNER}:${tag}`)),
    )
    const byDigest = runnerPod('lane', 'd', runs(`${RUNNER}@${digest}`))
    const release = { component: RUNNER, declared: '2.335.1', contains: ['latest', digest] }
    expect(findings({ pods: [...pods, byDigest] }, release)).toEqual([])
  })

  it('remarks that no image of a declared component was seen', () => {
    const fleet = buildFleet(LISTS, {
      fleetFile: seen({ releases: [{ component: 'ghcr.io/typo', declared: '1.0.0' }] }),
    })
    expect(drift.remarks?.(fleet, WHOLE_FLEET).get('fleet')).toMatch(/^no image of ghcr\.io\/typo was seen/)
  })
})
