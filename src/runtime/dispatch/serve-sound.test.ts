import { describe, expect, it } from 'vitest'
import type { Candidates } from '#/core/dispatch/fairness.ts'
import type { Job } from '#/core/dispatch/job.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { breakerKey } from './breaker-gate.ts'
import { serveSound } from './serve-sound.ts'

const JOBS = ['acme/app', 'acme/app', 'Acme/api', 'initech/site'].map((repository, id) => ({ id, repository }) as Job)
const SLOTS = ['n1', 'n1', 'n2', null].map((node, index) => ({ uid: `s${index}`, node }) as Slot)

/** The jobs and the slots that are left. */
function left(key: string, mayTry = false): { readonly jobs: readonly number[]; readonly slots: readonly string[] } {
  let seen: Candidates = { jobs: [], slots: [], held: [] }
  const open = [{ key, why: 'x', until: 1, ...(mayTry ? { mayTry: true as const } : {}) }]
  const choose = serveSound(open, 'app', (candidates) => {
    seen = candidates
    return []
  })
  choose({ jobs: JOBS, slots: SLOTS, held: [] })
  return { jobs: seen.jobs.map(({ id }) => id), slots: seen.slots.map(({ uid }) => uid) }
}

describe('a breaker', () => {
  const ALL = ['s0', 's1', 's2', 's3']

  it.each([
    ['of a repository stops its jobs', breakerKey.repository('acme/app'), [2, 3], ALL],
    ['of an owner stops its jobs, whatever the case', breakerKey.owner('ACME'), [3], ALL],
    ['of a credential stops all', breakerKey.credential('app'), [], ALL],
    ['of another credential stops nothing', breakerKey.credential('other'), [0, 1, 2, 3], ALL],
    ['of a node stops its slots', breakerKey.node('n1'), [0, 1, 2, 3], ['s2', 's3']],
  ])('%s', (_title, key, jobs, slots) => {
    expect(left(key)).toEqual({ jobs, slots })
  })

  it.each([
    ['of a repository', breakerKey.repository('acme/app'), [0, 2, 3], ALL],
    ['of a credential', breakerKey.credential('app'), [0], ALL],
    ['of a node', breakerKey.node('n1'), [0, 1, 2, 3], ['s0', 's2', 's3']],
  ])('%s that may be tried lets one through', (_title, key, jobs, slots) => {
    expect(left(key, true)).toEqual({ jobs, slots })
  })
})
