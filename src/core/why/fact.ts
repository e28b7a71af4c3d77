/** One thing that one source showed about the subject or its node. */
export type Fact = {
  /** What it is: the id of a signature, or the name of a state that was read from fields. */
  readonly is: string
  /** As in docs/contracts/bundle.md ("Names of sources"). */
  readonly source: string
  readonly at: number | null
  /** The position in its source: times in whole seconds do not show what came first. */
  readonly order: number
  /** What a person reads. */
  readonly text: string
  /** The pod itself, or the whole node on which it ran. */
  readonly about: 'subject' | 'node'
  readonly fields: { readonly [name: string]: string }
}

/** A fact that is read from fields, not found in a line. */
export function fieldFact(fact: Pick<Fact, 'is' | 'source' | 'at' | 'text'> & Partial<Fact>): Fact {
  return { order: 0, about: 'subject', fields: {}, ...fact }
}

const LONG_NAMES = 2

/** All `logs/…` count as one source, and so do all `journal/…`. `kubernetes/x` and `github/x` are separate sources. */
export function sourceGroup({ source }: Pick<Fact, 'source'>): string {
  const parts = source.split('/')
  const [first = ''] = parts
  return first === 'kubernetes' || first === 'github' ? parts.slice(0, LONG_NAMES).join('/') : first
}

/** By time; facts without a time come last. */
export function byTime(a: Fact, b: Fact): number {
  return (a.at ?? Infinity) - (b.at ?? Infinity) || a.order - b.order
}
