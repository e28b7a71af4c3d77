import { describe, expect, it } from 'vitest'
import { preflight } from '#/audits/preflight/audit.ts'
import { runtime } from './audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { arcFleet } from '#test/fleets/arc-set.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'
import { confirmWedges } from './confirm-wedge.ts'

const idle = { name: 'lane-x7k2p-runner-aaaaa' }
const wedge: SetCase = { phase: 'Pending', listener: false, listenerPod: false, runners: [idle] }

function confirmed(audit: typeof runtime, before: SetCase, after: SetCase = wedge): readonly string[] {
  const [earlier, later] = [arcFleet(before), arcFleet(after)]
  return confirmWedges(audit.examine(later, WHOLE_FLEET), { earlier, later })
    .filter((one) => one.class !== 'idle-no-job-runner')
    .map((one) => `${one.class} ${one.severity}`)
}

describe('a wedge in two reads', () => {
  it('is confirmed if nothing of the set changed', () => {
    expect(confirmed(runtime, wedge)).toEqual(['rollover-wedged critical', 'stale-idle-listener-blocker warning'])
    expect(confirmed(preflight, wedge)).toEqual(['wedged critical'])
  })

  it.each<readonly [string, SetCase]>([
    ['a runner was created', { ...wedge, runners: [] }],
    ['a runner was deleted', { ...wedge, runners: [idle, { name: 'lane-x7k2p-runner-bbbbb' }] }],
    ['a runner changed', { ...wedge, runners: [{ ...idle, metadata: { resourceVersion: '0' } }] }],
    ['a runner was re-created under its name', { ...wedge, runners: [{ ...idle, metadata: { uid: 'other' } }] }],
    ['its pod started meanwhile', { ...wedge, runners: [{ ...idle, pod: { age: 1 } }] }],
    ['the set changed', { ...wedge, set: { metadata: { resourceVersion: '0' } } }],
    ['its generation changed', { ...wedge, runnerSets: [{ metadata: { resourceVersion: '0' } }] }],
    ['its listener was deleted', { ...wedge, listener: {} }],
  ])('is a rollover under way if %s', (_title, before) => {
    expect(confirmed(runtime, before)).toEqual(['rollover-in-flight info'])
    expect(confirmed(preflight, before)).toEqual(['in-flight warning'])
  })

  it('is confirmed if only unrelated fields of a pod changed', () => {
    const before: SetCase = { ...wedge, runners: [{ ...idle, pod: { metadata: { resourceVersion: '0' } } }] }
    expect(confirmed(preflight, before)).toEqual(['wedged critical'])
  })

  it('still reports a crash-looping listener, although it changes all the time', () => {
    const loop: SetCase = { listenerPod: { age: 2 } }
    expect(confirmed(preflight, { listenerPod: { age: 6, metadata: { uid: 'before' } } }, loop)).toEqual([
      'wedged critical',
    ])
  })

  it('says what changed', () => {
    const [earlier, later] = [arcFleet({ ...wedge, runners: [] }), arcFleet(wedge)]
    const findings = confirmWedges(runtime.examine(later, WHOLE_FLEET), { earlier, later })
    expect(findings.find((one) => one.class === 'rollover-in-flight')?.evidence.at(-1)).toBe(
      'between the two reads: EphemeralRunner lane-x7k2p-runner-aaaaa uid-of-lane-x7k2p-runner-aaaaa was created',
    )
  })
})
