import { FINDERS } from '#/core/redaction/secret-search.ts'

/** What is repeated to the wanted length to make one finder work as hard as it can. */
export type Feeder = { readonly name: string; readonly piece: string; readonly start?: string }

const LITERALS = [...new Set(FINDERS.flatMap((finder) => finder.literals))]

/** For each literal that starts a search: itself, almost matches of every alphabet, and signs, quotes and ends after it. */
export const FEEDERS: readonly Feeder[] = LITERALS.flatMap((literal) => [
  { name: `${literal} again and again`, piece: literal },
  { name: `${literal} in one long run`, piece: `${literal}aB3` },
  { name: `${literal} before a long run`, start: literal, piece: 'aB3dE6gH9' },
  { name: `${literal} that just fails`, piece: `${literal}aB3dE6gH9jK2m.` },
  { name: `${literal} as a name`, piece: `${literal}=` },
  { name: `${literal} as a name in quotes`, piece: `"${literal}":"` },
  { name: `${literal} as a name in escapes`, piece: String.raw`\"${literal}\":\"a` },
  { name: `${literal} as an option`, piece: ` --${literal} ` },
  { name: `${literal} as a word`, piece: `${literal} ` },
])

export function feed({ piece, start = '' }: Feeder, length: number): string {
  return start + piece.repeat(Math.ceil((length - start.length) / piece.length))
}
