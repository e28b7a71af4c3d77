import type { Blind, BlindReason, Observed, Seen } from '#/core/basics/observed.ts'
import type { JournalWindow } from '#/ports/journal.ts'

/** The machine that we run on, where it is a node whose pods are asked about. */
export type ThisHost = {
  readonly journal: (window: HostJournalWindow, signal: AbortSignal) => Promise<Seen<JournalCopy> | Blind>
  /** By its name in a bundle: `proc/sys/fs/file-nr`, `free-m`, `df`. */
  readonly file: (name: HostFileName, signal: AbortSignal) => Promise<Observed<string>>
  /** `none`: the kernel has no cgroup of this pod any more. */
  readonly cgroups: (pod: PodOnHost, signal: AbortSignal) => Promise<Observed<readonly CgroupCopy[]>>
}

/** `about`: the death that the journal is read for. Lines of other pods may then be left out, and a large journal is read around it. */
export type HostJournalWindow = JournalWindow & {
  readonly about?: { readonly uid: string; readonly containerIds: readonly string[]; readonly at: number }
}

export const HOST_FILES = [
  'proc/sys/fs/file-nr',
  'proc/sys/fs/file-max',
  'proc/sys/fs/nr_open',
  'proc/cgroups',
  'free-m',
  'df',
  'df-i',
] as const
export type HostFileName = (typeof HOST_FILES)[number]

/** What `journalctl -o json` prints of a window, byte for byte. */
export type JournalCopy = {
  readonly chunks: AsyncIterable<Uint8Array>
  /** The journal's first line, or the beginning of the window where that is later. */
  readonly from: number
  /** What is missing, and the last time that is covered. Known when the chunks have been read. */
  readonly ending: () => { readonly to: number | null; readonly gaps: readonly BlindReason[] }
}

export type PodOnHost = {
  readonly uid: string
  readonly containers: readonly { readonly name: string; readonly id: string }[]
}

/** A null container is the pod's own cgroup. */
export type CgroupCopy = {
  readonly container: string | null
  readonly files: ReadonlyMap<string, string>
  /** When it was read, where that was before anybody asked. */
  readonly readAt?: number
}
