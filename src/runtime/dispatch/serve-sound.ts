import type { Choose } from '#/core/dispatch/fairness.ts'
import { breakerKey } from './breaker-gate.ts'
import type { OpenBreaker } from './breaker-gate.ts'
import { createStops, jobBreakers } from './stops.ts'

/**
 * Chooses without what a breaker stops: such a job would be claimed and returned again and again. Of what may be tried once,
 * one.
 */
export function serveSound(open: readonly OpenBreaker[], credential: string, choose: Choose): Choose {
  if (open.length === 0) return choose
  return ({ jobs, slots, held }) => {
    const stops = createStops(open)
    const sound = slots.filter(({ node }) => node === null || stops([breakerKey.node(node)]) === null)
    const served = jobs.filter((job) => stops(jobBreakers(job, credential)) === null)
    return choose({ jobs: served, slots: sound, held })
  }
}
