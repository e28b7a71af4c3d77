import { nameOwner } from '#/core/dispatch/fairness.ts'
import type { Choose } from '#/core/dispatch/fairness.ts'
import { breakerKey } from './breaker-gate.ts'
import type { OpenBreaker } from './breaker-gate.ts'

/**
 * Chooses without what a breaker stops: such a job would be claimed and returned again and again. Of what may be tried once,
 * one.
 */
export function serveSound(open: readonly OpenBreaker[], credential: string, choose: Choose): Choose {
  if (open.length === 0) return choose
  return ({ jobs, slots, held }) => {
    const breakers = new Map(open.map(({ key, mayTry }) => [key, { left: mayTry === true ? 1 : 0 }]))
    const isServed = (...keys: readonly string[]): boolean => {
      const stopping = keys.map((key) => breakers.get(key)).filter((breaker) => breaker !== undefined)
      if (stopping.some(({ left }) => left === 0)) return false
      for (const breaker of stopping) breaker.left -= 1
      return true
    }
    const sound = slots.filter(({ node }) => node === null || isServed(breakerKey.node(node)))
    const served = jobs.filter((job) =>
      isServed(
        breakerKey.credential(credential),
        breakerKey.owner(nameOwner(job)),
        breakerKey.repository(job.repository),
      ),
    )
    return choose({ jobs: served, slots: sound, held })
  }
}
