import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { readRunnerRecord } from '#/core/fleet/scale-set.ts'
import { judgeDrain } from './judge-drain.ts'

function runner(name: string, status: object) {
  return readRunnerRecord({ metadata: { name, namespace: 'n' }, status: { runnerName: name, ...status } })
}

const idle = runner('idle', { phase: 'Running' })
const busy = runner('busy', { phase: 'Running', jobDisplayName: 'build', jobRepositoryName: 'acme/app' })
const dark = blind('not-asked', 'no credential')

describe('the last job of a quiesced set', () => {
  it.each([
    ['no runner is left', none(), dark, 'drained'],
    ['a runner that failed has no job', seen([runner('f', { phase: 'Failed' })]), dark, 'drained'],
    ['a job is on record', seen([idle, busy]), seen([]), 'working'],
    ['only GitHub knows of the job', seen([idle]), seen([{ name: 'idle', busy: true }]), 'working'],
    ['GitHub knows that nobody is busy', seen([idle]), seen([{ name: 'idle', busy: false }]), 'drained'],
    ['GitHub has no runner any more', seen([idle]), none(), 'drained'],
    ['a jobless runner may work unseen', seen([idle]), dark, 'blind'],
    ['the runners could not be read', dark, seen([]), 'blind'],
  ] as const)('%s', (_, runners, github, kind) => {
    expect(judgeDrain(runners, github).kind).toBe(kind)
  })
})
