/** One thing that one source told about the subject or about its node. */
export type Fact = {
  /** What it is: the name of a signature, or the name of a reading of fields. */
  readonly is: string
  /** As in docs/contracts/bundle.md ("Names of sources"). */
  readonly source: string
  readonly at: number | null
  /** The place in its source: clocks that print whole seconds do not tell what came first. */
  readonly order: number
  /** What a person reads. */
  readonly text: string
  /** Of the pod itself, or of the whole node on which it ran. */
  readonly about: 'subject' | 'node'
  readonly told: { readonly [name: string]: string }
}

/** Facts that are read from fields, not found in lines. */
export function fieldFact(fact: Pick<Fact, 'is' | 'source' | 'at' | 'text'> & Partial<Fact>): Fact {
  return { order: 0, about: 'subject', told: {}, ...fact }
}

const LONG_NAMES = 2

/** `logs/ns/pod/container` and `journal/node` speak with one voice each; `kubernetes/x` and `github/x` are sources of their own. */
export function voiceOf({ source }: Pick<Fact, 'source'>): string {
  const parts = source.split('/')
  const [first = ''] = parts
  return first === 'kubernetes' || first === 'github' ? parts.slice(0, LONG_NAMES).join('/') : first
}

/** By time; what has no time stands last. */
export function byTime(a: Fact, b: Fact): number {
  return (a.at ?? Infinity) - (b.at ?? Infinity) || a.order - b.order
}
