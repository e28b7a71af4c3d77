import { NO_CHANGES } from '#/core/dispatch/assignment.ts'
import type { Changes } from '#/core/dispatch/assignment.ts'
import { decideClaims } from '#/core/dispatch/claims.ts'
import type { Store } from '#/ports/store/store.ts'

/** The store, with every change that it reports as written passed to `see`. */
export function witness(store: Store, see: (changes: Changes) => void): Store {
  const { assignments } = store
  return {
    ...store,
    assignments: {
      ...assignments,
      commit: async (changes) => {
        const outcome = await assignments.commit(changes)
        if (outcome === 'committed') see(changes)
        return outcome
      },
      match: async (request, choose) => {
        let chosen = NO_CHANGES
        const claims = await assignments.match(request, (candidates) => {
          const pairs = choose(candidates)
          // A transaction that lost against another chooses again; the last choice is the one that was written.
          chosen = decideClaims(candidates, pairs, request.at)
          return pairs
        })
        see(chosen)
        return claims
      },
    },
  }
}
