import { describe, expect, it } from 'vitest'
import { findFinding, traps } from '#test/fleets/arc-set.ts'
import { controllerLog, listenerLog } from '#test/fleets/arc-logs.ts'
import type { SetCase } from '#test/fleets/arc-set.ts'

const STALE = ['listener-stale-reference lane']
const GONE =
  'Application returned an error: createSession failed: GitHub.Actions.Runtime.WebApi.RunnerScaleSetNotFoundException: No runner scale set found with identifier 41.'
const POLL = 'msg="Getting next message" component=listener'
const JIT =
  'ERROR\tEphemeralRunner\tFailed to create ephemeral runners secret\t{"ephemeralrunner": {"name":"lane-x7k2p-runner-zzzzz","namespace":"arc"}, "error": "failed to generate JIT config: RunnerScaleSetNotFoundException"}'
const named = (ephemeralRunnerSetName: string) => ({ spec: { ephemeralRunnerSetName } })

describe('the references of a listener', () => {
  it.each<readonly [string, readonly string[], SetCase]>([
    ['are good', [], {}],
    ['are stale if the ids differ', STALE, { listener: { spec: { runnerScaleSetId: 40 } } }],
    [
      'are not compared with a set that has no id',
      [],
      { set: { annotations: { 'runner-scale-set-id': null } }, listener: { spec: { runnerScaleSetId: 40 } } },
    ],
    ['are stale if the generation is gone', STALE, { listener: named('lane-dead') }],
    ['may be ahead of the list for a minute', [], { listener: { ...named('lane-dead'), age: 60 } }],
    [
      'are not judged where generations are blind',
      [],
      { listener: named('lane-dead'), blind: ['ephemeralrunnersets'] },
    ],
    ['are stale if the listener logs a deleted scale set', STALE, { logs: [listenerLog([[30, GONE]])] }],
    [
      'are stale where the listener cannot patch',
      STALE,
      {
        logs: [
          listenerLog([
            [30, 'could not patch ephemeral runner set, patch JSON: {}: ephemeralrunnersets "lane-x" not found'],
          ]),
        ],
      },
    ],
    [
      'are good where a patch failed for another reason',
      [],
      { logs: [listenerLog([[30, 'could not patch ephemeral runner set: context deadline exceeded']])] },
    ],
    [
      'are good once the listener polls again',
      [],
      {
        logs: [
          listenerLog([
            [30, GONE],
            [20, POLL],
          ]),
        ],
      },
    ],
    ['are stale by the log of the run before', STALE, { logs: [{ ...listenerLog([[30, GONE]]), previous: true }] }],
    ['are stale by a line of ten minutes', STALE, { logs: [listenerLog([[600, GONE]], 5)] }],
    ['are stale if the controller said so ten minutes ago', STALE, { logs: [controllerLog([600, JIT])] }],
    ['are good if a line is older than ten minutes', [], { logs: [listenerLog([[601, GONE]], 5)] }],
    ['are stale if the controller gets no configuration', STALE, { logs: [controllerLog([30, JIT])] }],
    ['are good if the controller said so long ago', [], { logs: [controllerLog([601, JIT])] }],
    ['are ignored on a terminating set', [], { set: { deleted: 5 }, listener: named('lane-dead') }],
  ])('%s', (_title, expected, own) => {
    expect(traps(own)).toEqual(expected)
  })

  const two = (newestAge: number): SetCase => ({
    listener: named('lane-old'),
    runnerSets: [{ name: 'lane-new', age: newestAge }, { name: 'lane-old' }],
  })

  it('may be those of the old generation for two minutes of a rollover', () => {
    expect(traps(two(120))).toEqual(['rollover-in-flight lane'])
    expect(traps(two(121))).toEqual(['rollover-in-flight lane', ...STALE])
  })

  it('have another fix if the scale set was deleted', () => {
    expect(findFinding({ listener: named('lane-dead') }, 'listener-stale-reference')?.hint).toMatch(
      /^kubectl -n arc-systems delete autoscalinglistener/,
    )
    expect(findFinding({ logs: [listenerLog([[30, GONE]])] }, 'listener-stale-reference')?.hint).toContain(
      'runner-scale-set-id-',
    )
  })
})
