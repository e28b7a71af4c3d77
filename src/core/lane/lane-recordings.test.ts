import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { seen, seenList } from '#/core/basics/observed.ts'
import { listAt, toFields, textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { readController } from '#/core/fleet/controller.ts'
import { readListener, readRunnerRecord, readRunnerSet, readScaleSet } from '#/core/fleet/scale-set.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { readFleetFiles, readText } from '#test/fleets/fleet-files.ts'
import { readListenerCap } from './cap.ts'
import { findOwners } from './find-owners.ts'
import { judgeChange } from './judge-change.ts'
import { proveListener, readAnnounced } from './prove-listener.ts'

/** What a real ARC of each version wrote. */
async function readRecording(recording: string, set: string) {
  const files = await readFleetFiles(path.resolve('test', 'fleets', 'arc', `${recording}.tar.gz`))
  const items = (kind: string): readonly Fields[] => {
    const text = readText(files, `kubernetes/${kind}.json`)
    return text === '' ? [] : listAt(JSON.parse(text), 'items').map(toFields)
  }
  const own = (kind: string): readonly Fields[] =>
    items(kind).filter((one) => textAt(one, 'metadata', 'labels', 'actions.github.com/scale-set-name') === set)
  const [object = {}] = own('autoscalingrunnersets')
  const [listener] = own('autoscalinglisteners').map(readListener)
  const pod = own('pods').find((one) => textAt(one, 'metadata', 'name') === listener?.name)
  const facts = {
    set: readScaleSet(object),
    runnerSets: seenList(own('ephemeralrunnersets').map(readRunnerSet)),
    runners: seenList(own('ephemeralrunners').map(readRunnerRecord)),
    listeners: seenList(own('autoscalinglisteners').map(readListener)),
    controllers: seenList(items('deployments').flatMap((one) => readController(one) ?? [])),
  }
  const log = listener === undefined ? '' : readText(files, `logs/arc-systems/${listener.name}/listener.log`)
  return { object, facts, listener, pod, log }
}

const HEALTHY = [
  ['0.12.1-quota-holds-capacity', 'gpu', { min: 3, max: 4 }],
  ['0.14.2-healthy-idle', 'linux-x64', { min: 2, max: 8 }],
  ['0.14.2-rollover-immediate', 'docker-build', { min: 1, max: 6 }],
  ['canary-2ee6b3b-healthy-busy', 'linux-x64', { min: 2, max: 8 }],
] as const

describe('the listener of a real ARC', () => {
  it.each(HEALTHY)('of %s proves the bounds of %s by its own log', async (recording, set, cap) => {
    const { listener, pod, log } = await readRecording(recording, set)
    if (listener === undefined || pod === undefined) throw new Error('the recording has no listener')
    expect(readListenerCap(listener.raw)).toEqual(cap)
    expect(readAnnounced(log)).toEqual(cap)
    const sight = { listeners: seen([listener]), pod: seen(readPodRecord(pod)), log: seen(log) }
    expect(proveListener(cap, sight, null)).toMatchObject({ kind: 'proved' })
    const other = { min: cap.min, max: cap.max + 1 }
    expect(proveListener(other, sight, null)).toMatchObject({ kind: 'not-yet' })
  })

  it('of 0.13.1 says its bounds in the words of zap', async () => {
    const files = await readFleetFiles(path.resolve('test/fleets/arc/0.13.1-wedged-values-change.tar.gz'))
    const log = readText(files, 'logs/arc-systems/linux-x64-b94c957d-listener/listener.log')
    expect(readAnnounced(log)).toEqual({ min: 2, max: 8 })
  })
})

describe('a change of the bounds, by what a real ARC made of the set', () => {
  it.each([
    ['0.14.2-healthy-idle', 'linux-x64', [true]],
    ['canary-2ee6b3b-healthy-busy', 'linux-x64', [true, true]],
    ['0.14.2-wedged-values-change', 'docker-build', [false]],
    ['0.13.1-wedged-values-change', 'docker-build', [false]],
    ['canary-2ee6b3b-wedged-spec-change', 'spec-idle', [false]],
  ] as const)('of %s, %s: %j', async (recording, set, holds) => {
    const proofs = judgeChange((await readRecording(recording, set)).facts)
    expect(proofs.slice(0, holds.length).map((proof) => proof.holds)).toEqual(holds)
  })

  it.each([
    ['eventual', false],
    ['immediate', true],
  ] as const)('of 0.14.2 under the strategy %s over runners: %s', async (updateStrategy, holds) => {
    const { facts } = await readRecording('0.14.2-healthy-idle', 'linux-x64')
    const controllers = facts.controllers.kind === 'seen' ? facts.controllers.value : []
    const own = { ...facts, controllers: seen(controllers.map((one) => Object.assign({}, one, { updateStrategy }))) }
    expect(judgeChange(own).map((proof) => [proof.gate, proof.holds])).toEqual([
      ['no-rollover', true],
      ['update-strategy', holds],
    ])
  })

  it.each(['0.12.1-quota-holds-capacity', '0.14.2-healthy-idle', 'canary-2ee6b3b-healthy-busy'])(
    'of %s is undone by Helm',
    async (recording) => {
      const { object } = await readRecording(recording, recording.startsWith('0.12') ? 'gpu' : 'linux-x64')
      expect(findOwners(object).map(({ tool }) => tool)).toContain('Helm')
    },
  )
})
