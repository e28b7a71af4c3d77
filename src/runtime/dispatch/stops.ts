import { nameOwner } from '#/core/dispatch/fairness.ts'
import type { Job } from '#/core/dispatch/job.ts'
import { breakerKey } from './breaker-gate.ts'
import type { OpenBreaker } from './breaker-gate.ts'

/** The breaker that stops whoever has these keys; null lets it through. Of what may be tried once, one is let through. */
export type Stops = (keys: readonly string[]) => OpenBreaker | null

export function createStops(open: readonly OpenBreaker[]): Stops {
  const breakers = new Map(open.map((breaker) => [breaker.key, { breaker, left: breaker.mayTry === true ? 1 : 0 }]))
  return (keys) => {
    const met = keys.map((key) => breakers.get(key)).filter((one) => one !== undefined)
    const stopping = met.find(({ left }) => left === 0)
    if (stopping !== undefined) return stopping.breaker
    for (const one of met) one.left -= 1
    return null
  }
}

export function jobBreakers(job: Job, credential: string): readonly string[] {
  return [breakerKey.credential(credential), breakerKey.owner(nameOwner(job)), breakerKey.repository(job.repository)]
}
