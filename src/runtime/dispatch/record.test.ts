import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import type { Assignments } from '#/ports/store/assignments.ts'
import { getJob, jobFacts, queued } from '#test/contracts/store-builders.ts'
import { record } from './record.ts'

const COMPLETED = { kind: 'job-completed', at: 9, facts: jobFacts(1), runner: null, conclusion: 'success' } as const

describe('record', () => {
  it('writes what changes and returns it', async () => {
    const { assignments } = memoryStore()
    const recorded = await record(assignments, queued(1))
    expect(recorded).toMatchObject({ kind: 'changed', changes: { jobs: [{ before: null }], slots: [] } })
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'queued', generation: 1 })
  })

  it('writes nothing for a happening that is repeated', async () => {
    const { assignments } = memoryStore()
    await record(assignments, queued(1))
    await record(assignments, COMPLETED)
    const before = await getJob(assignments, 1)
    expect(await record(assignments, COMPLETED)).toEqual({ kind: 'unchanged' })
    expect(await record(assignments, queued(1))).toEqual({ kind: 'unchanged' })
    expect(await getJob(assignments, 1)).toEqual(before)
  })

  it('reads again where somebody wrote between its read and its write', async () => {
    const { assignments } = memoryStore()
    await record(assignments, queued(1))
    const started = { kind: 'job-started', at: 5, facts: jobFacts(1), runner: { id: 1, name: 'r' } } as const
    const disturbed = disturb(assignments, 1, async () => await record(assignments, started))
    expect(await record(disturbed, COMPLETED)).toMatchObject({ kind: 'changed' })
    expect((await assignments.history(1)).map(({ to }) => to)).toEqual(['queued', 'executing', 'finished'])
  })

  it('decides on what it read last: a happening can become nothing', async () => {
    const { assignments } = memoryStore()
    const disturbed = disturb(assignments, 1, async () => await record(assignments, COMPLETED))
    expect(await record(disturbed, queued(1))).toEqual({ kind: 'unchanged' })
    expect(await getJob(assignments, 1)).toMatchObject({ state: 'finished' })
  })

  it('gives up after a bounded number of tries and has written nothing', async () => {
    const { assignments } = memoryStore()
    let commits = 0
    const contended: Assignments = {
      ...assignments,
      commit: async () => {
        commits += 1
        return 'stale'
      },
    }
    expect(await record(contended, queued(1))).toEqual({ kind: 'contended', tries: commits })
    expect(commits).toBe(10)
  })
})

/** Something happens after each of the first reads, before the write that follows. */
function disturb(assignments: Assignments, times: number, happen: () => Promise<unknown>): Assignments {
  let left = times
  return {
    ...assignments,
    commit: async (changes) => {
      if (left > 0) {
        left -= 1
        await happen()
      }
      return await assignments.commit(changes)
    },
  }
}
