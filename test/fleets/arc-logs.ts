import type { LogExcerpt } from '#/core/fleet/snapshot.ts'
import { NOW, ago } from './build-fleet.ts'

/** The listener of the set in `arc-set.ts`. */
export const LISTENER = 'lane-b94c957d-listener'

export type LogCase = {
  readonly pod: string
  readonly namespace?: string
  readonly container?: string
  readonly previous?: boolean
  /** Age and text, oldest first. */
  readonly lines: readonly (readonly [age: number, text: string])[]
  readonly lastAge?: number
  /** The last vitals line, with its age. */
  readonly vitals?: readonly [age: number, text: string]
}

export function buildLog({
  pod,
  namespace,
  container = 'runner',
  previous = false,
  lines,
  lastAge,
  vitals,
}: LogCase): LogExcerpt {
  const excerpt = lines.map(([age, text]) => ({ at: NOW - age * 1000, text }))
  const last = lastAge === undefined ? (excerpt.at(-1)?.at ?? null) : NOW - lastAge * 1000
  const place = namespace ?? (container === 'runner' ? 'arc' : 'arc-systems')
  return {
    namespace: place,
    pod,
    container,
    previous,
    firstAt: excerpt[0]?.at ?? null,
    lastAt: last,
    lines: excerpt,
    vitals:
      vitals === undefined ? null : { at: null, text: `signalbox-vitals 1 time=${ago(vitals[0] * 1000)} ${vitals[1]}` },
  }
}

export const listenerLog = (lines: LogCase['lines'], lastAge?: number): LogCase => ({
  pod: LISTENER,
  container: 'listener',
  lines,
  ...(lastAge === undefined ? {} : { lastAge }),
})

export const controllerLog = (...lines: LogCase['lines']): LogCase => ({
  pod: 'arc-controller-1',
  container: 'manager',
  lines,
})
