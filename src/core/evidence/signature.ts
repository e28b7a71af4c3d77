/**
 * A signature turns a raw line into a named clue. It says what the line means, never what killed the runner: that is for
 * the causes, which weigh clues against each other.
 */
export type Signature = {
  /** The clue's name, equal to the name of its file. */
  readonly id: string
  /** One sentence: what a line of this kind says. */
  readonly says: string
  readonly patterns: readonly Pattern[]
}

export type Pattern = {
  readonly streams: readonly Stream[]
  /** Events only: the reasons under which the message means this. Without them any reason will do. */
  readonly reasons?: readonly string[]
  /** Named groups are what the clue tells. No lookbehind, no backreference, no nested repetition: it must stay linear. */
  readonly regex: LineRegex
  /** At least one of these occurs in every line that the regex matches, in any case: a line without is not looked at. */
  readonly literals: readonly string[]
  readonly strength: Strength
  /** What a person who reads the clue must know to not be misled. */
  readonly caution?: string
  readonly examples: { readonly matches: readonly string[]; readonly rejects: readonly string[] }
}

/** Ours are made by Node, those of people's own rules by RE2. Neither global nor sticky: no state between two lines. */
export type LineRegex = Pick<RegExp, 'source' | 'flags' | 'global' | 'sticky'> & {
  readonly test: (text: string) => boolean
  readonly exec: (
    text: string,
  ) => { readonly groups?: { readonly [name: string]: string | undefined } | undefined } | null
}

/** Where a line came from decides what it may mean: a job may print anything, the kernel may not. */
export const STREAMS = [
  'runner-log',
  'job-log',
  'annotation',
  'event',
  'kernel',
  'kubelet',
  'containerd',
  'systemd',
  'vmm',
  'controller-log',
  'cloud',
] as const
export type Stream = (typeof STREAMS)[number]

/** How much one such line says: `decisive` fixes the class alone, `context` belongs to the time line and names no cause. */
export type Strength = 'decisive' | 'strong' | 'medium' | 'weak' | 'context'

/** What one line told. */
export type Clue = {
  readonly signature: string
  readonly says: string
  readonly strength: Strength
  readonly captures: { readonly [name: string]: string }
  readonly caution: string | null
}
