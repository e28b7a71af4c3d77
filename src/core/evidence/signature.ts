/**
 * A signature turns a raw line into a named clue. It says what the line means, never what killed the runner: the causes
 * decide that by weighing clues.
 */
export type Signature = {
  /** The id of the clue, the same as the file name. */
  readonly id: string
  /** One sentence: what such a line means. */
  readonly says: string
  readonly patterns: readonly Pattern[]
}

export type Pattern = {
  readonly streams: readonly Stream[]
  /** Events only: the reasons with which the message counts. Without them, any reason counts. */
  readonly reasons?: readonly string[]
  /** Named groups become the fields of the clue. No lookbehind, backreference or nested repetition: it must stay linear. */
  readonly regex: LineRegex
  /** Every matching line contains at least one of these, in any case: other lines are skipped. */
  readonly literals: readonly string[]
  readonly strength: Strength
  /** What a reader must know so that the clue does not mislead. */
  readonly caution?: string
  readonly examples: { readonly matches: readonly string[]; readonly rejects: readonly string[] }
}

/** Built-in ones use Node's engine, own rules use RE2. Neither global nor sticky: no state between lines. */
export type LineRegex = Pick<RegExp, 'source' | 'flags' | 'global' | 'sticky'> & {
  readonly test: (text: string) => boolean
  readonly exec: (
    text: string,
  ) => { readonly groups?: { readonly [name: string]: string | undefined } | undefined } | null
}

/** The origin decides what a line can mean: a job can print anything, the kernel cannot. */
export const STREAMS = [
  'runner-log',
  'job-log',
  'annotation',
  'event',
  'kernel',
  'guest-kernel',
  'kubelet',
  'containerd',
  'systemd',
  'vmm',
  'controller-log',
  'cloud',
] as const
export type Stream = (typeof STREAMS)[number]

/** How much such a line proves: `decisive` settles the cause alone, `context` is for the timeline and names no cause. */
export type Strength = 'decisive' | 'strong' | 'medium' | 'weak' | 'context'

/** What a signature found in one line. */
export type Clue = {
  readonly signature: string
  readonly says: string
  readonly strength: Strength
  readonly groups: { readonly [name: string]: string }
  readonly caution: string | null
}
