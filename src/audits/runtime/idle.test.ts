import { describe, expect, it } from 'vitest'
import { runtimeFindings } from '#test/fleets/arc-set.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'

const idle = { name: 'lane-x7k2p-runner-aaaaa' }
const other = { name: 'lane-x7k2p-runner-bbbbb' }
const findings = (own: SetCase) =>
  runtimeFindings(own)
    .filter((one) => one.class === 'idle-no-job-runner')
    .map(({ subject }) => `${subject.kind} ${subject.name}`)

describe('idle runners', () => {
  it('are reported one by one, and for their set', () => {
    expect(findings({ runners: [idle, other, { name: 'busy', job: true, github: 'busy' }] })).toEqual([
      'AutoscalingRunnerSet lane',
      'EphemeralRunner lane-x7k2p-runner-aaaaa',
      'EphemeralRunner lane-x7k2p-runner-bbbbb',
    ])
  })

  it('are listed by their set, and name it', () => {
    const [ofSet, first] = runtimeFindings({ runners: [idle, other] })
    expect(ofSet).toMatchObject({
      severity: 'info',
      fields: { scaleSet: 'lane', idle: 2, runners: [idle.name, other.name] },
    })
    expect(first).toMatchObject({ severity: 'info', fields: { scaleSet: 'lane' } })
  })

  it.each<readonly [string, number, SetCase]>([
    ['are idle by their EphemeralRunner while GitHub is blind and the listener works', 2, { blind: ['github'] }],
    ['are not called idle while GitHub is blind and the listener is gone', 0, { blind: ['github'], listener: false }],
    ['are not called idle while GitHub and the listeners are blind', 0, { blind: ['github', 'autoscalinglisteners'] }],
    ['are called idle by GitHub while the listener is gone', 2, { listener: false }],
  ])('%s', (_title, count, own) => {
    expect(findings({ ...own, runners: [idle] })).toHaveLength(count)
  })
})
