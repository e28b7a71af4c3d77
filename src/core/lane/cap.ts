import type { Fields } from '#/core/basics/fields.ts'
import { numberAt } from '#/core/basics/fields.ts'

/** The bounds of a scale set. Null: the field is not set, so there is no minimum or no maximum. */
export type Cap = { readonly min: number | null; readonly max: number | null }

export type CapChange = { readonly before: Cap; readonly after: Cap }

/** ARC writes this to the listener for "no maximum". */
const UNBOUNDED = 2_147_483_647

/** The largest maximum that is not "no maximum". */
export const LARGEST_MAX = UNBOUNDED - 1

export const CLOSED: Cap = { min: 0, max: 0 }

export function readCap(set: Fields): Cap {
  return { min: numberAt(set, 'spec', 'minRunners'), max: numberAt(set, 'spec', 'maxRunners') }
}

/** ARC always writes both to an AutoscalingListener, and Go leaves out a 0. */
export function readListenerCap(listener: Fields): Cap {
  return { min: numberAt(listener, 'spec', 'minRunners') ?? 0, max: numberAt(listener, 'spec', 'maxRunners') ?? 0 }
}

/** What they mean to ARC: an absent minimum is 0. */
export function isSameCap(a: Cap, b: Cap): boolean {
  return (a.min ?? 0) === (b.min ?? 0) && (a.max ?? UNBOUNDED) === (b.max ?? UNBOUNDED)
}

export function describeCap({ min, max }: Cap): string {
  return `minRunners ${min ?? 'unset'}, maxRunners ${max ?? 'unset'}`
}

/** For people, and the ledger: `parseChange` reads it back. */
export function describeChange({ before, after }: CapChange): string {
  return `minRunners ${before.min ?? 'unset'} → ${after.min ?? 'unset'}, maxRunners ${before.max ?? 'unset'} → ${after.max ?? 'unset'}`
}

const CHANGE = /^minRunners (unset|\d{1,10}) → (unset|\d{1,10}), maxRunners (unset|\d{1,10}) → (unset|\d{1,10})$/u

export function parseChange(text: string): CapChange | null {
  const found = CHANGE.exec(text)
  if (found === null) return null
  const [minBefore, minAfter, maxBefore, maxAfter] = found
    .slice(1)
    .map((part) => (part === 'unset' ? null : Number(part)))
  return {
    before: { min: minBefore ?? null, max: maxBefore ?? null },
    after: { min: minAfter ?? null, max: maxAfter ?? null },
  }
}
