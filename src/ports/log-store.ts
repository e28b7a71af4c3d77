import type { Blind, BlindReason, Seen } from '#/core/basics/observed.ts'

/** Where somebody else keeps the journals of nodes and the logs of pods. */
export type LogStore = {
  /** As `journalctl -o json` prints it, one line each. A node is never silent: no line at all is blind. */
  readonly journal: (node: string, window: StoreWindow, signal: AbortSignal) => Promise<Seen<StoredText> | Blind>
  /** The logs of a pod's containers, each line with its time. */
  readonly podLogs: (
    pod: { readonly namespace: string; readonly pod: string },
    window: StoreWindow,
    signal: AbortSignal,
  ) => Promise<Seen<readonly StoredLog[]> | Blind>
}

/** Milliseconds since the epoch. */
export type StoreWindow = { readonly from: number; readonly to: number }

export type StoredText = {
  readonly text: string
  /** The time that it covers: less than the window where a limit was reached. */
  readonly from: number
  readonly to: number
  /** Which limit was reached; null where all of the window was read. */
  readonly cut: BlindReason | null
}

/** A null container: the store does not say whose it is. */
export type StoredLog = StoredText & { readonly container: string | null }
