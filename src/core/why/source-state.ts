import type { BlindReason, Observed } from '#/core/basics/observed.ts'

/** Whether a source could be read, and which time it covers. */
export type SourceState =
  | { readonly kind: 'looked'; readonly from: number | null; readonly to: number | null }
  | { readonly kind: 'blind'; readonly reason: BlindReason }

export type SourceStates = ReadonlyMap<string, SourceState>

export type Window = { readonly from: number; readonly to: number }

export function toSourceState(
  observed: Observed<unknown>,
  coverage: { readonly from: number | null; readonly to: number | null } | null,
): SourceState {
  if (observed.kind === 'blind') return observed
  return { kind: 'looked', from: coverage?.from ?? null, to: coverage?.to ?? null }
}

export function hasLooked(states: SourceStates, source: string): boolean {
  return states.get(source)?.kind === 'looked'
}

/** Absence in a source that does not cover the time proves nothing. */
export function hasLookedOver(states: SourceStates, source: string, window: Window | null): boolean {
  const state = states.get(source)
  if (state?.kind !== 'looked') return false
  if (window === null) return true
  return (state.from ?? -Infinity) <= window.from && (state.to ?? Infinity) >= window.to
}

export function blindSources(
  states: SourceStates,
): readonly { readonly source: string; readonly reason: BlindReason }[] {
  return [...states].flatMap(([source, state]) => (state.kind === 'blind' ? [{ source, reason: state.reason }] : []))
}
