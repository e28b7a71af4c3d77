import type { Path, Remark } from '#/adapters/documents/problem.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'
import type { Signature } from '#/core/evidence/signature.ts'
import { PLACEHOLDER_NAMES, listPlaceholders } from '#/core/why/weighing/own-wording.ts'
import type { Item } from './rules-items.ts'
import type { CauseRule } from './rules-schema.ts'

/** Names by which a cause may call clues. Null: there is such a signature in the file, but it is wrong. */
export type KnownClues = ReadonlyMap<string, Signature | null>

/** Names that are taken already, by us or further up in the file. */
export function takenNames(ids: readonly Item<string>[], list: string, taken: readonly string[]): readonly Remark[] {
  const before = new Set<string>()
  return ids.flatMap(({ rule: id, index }): readonly Remark[] => {
    const path = [list, index, 'id']
    const isTwice = before.has(id)
    before.add(id)
    if (taken.includes(id)) return [{ path, message: `${id} is built in`, advice: 'take another name' }]
    return isTwice ? [{ path, message: `${id} is there twice`, advice: 'take another name' }] : []
  })
}

/** Clues and named groups that nobody has. */
export function unknownNames(causes: readonly Item<CauseRule>[], known: KnownClues): readonly Remark[] {
  return causes.flatMap(({ rule, index }) => [
    ...unknownClues(rule, ['causes', index], known),
    ...unknownBlanks(rule, ['causes', index], known),
  ])
}

function unknownClues(cause: CauseRule, path: Path, known: KnownClues): readonly Remark[] {
  return (['for', 'against'] as const).flatMap((side) =>
    cause[side].flatMap(({ clue }, index): readonly Remark[] => {
      if (known.has(clue)) return []
      return [
        { path: [...path, side, index, 'clue'], message: `${clue} is no signature`, advice: meantClue(clue, known) },
      ]
    }),
  )
}

function meantClue(clue: string, known: KnownClues): string {
  const meant = didYouMean(clue, [...known.keys()])
  return meant.length === 0 ? 'see: signalbox signatures list' : `did you mean ${meant.join(' or ')}?`
}

function unknownBlanks(cause: CauseRule, path: Path, known: KnownClues): readonly Remark[] {
  const texts = [
    { text: cause.sentence, at: [...path, 'sentence'] },
    ...cause.next.map((text, index) => ({ text, at: [...path, 'next', index] })),
  ]
  return texts.flatMap(({ text, at }) =>
    listPlaceholders(text).flatMap((blank): readonly Remark[] => {
      if (blank.kind === 'name') return []
      const message = `has {${blank.word}}, which is not known`
      if (blank.kind === 'unknown') {
        const names = PLACEHOLDER_NAMES.map((name) => `{${name}}`).join(', ')
        return [{ path: at, message, advice: `known are ${names}, and {clue.group} for a named group of a clue` }]
      }
      const signature = known.get(blank.clue)
      if (signature === undefined) return [{ path: at, message, advice: meantClue(blank.clue, known) }]
      if (signature === null) return []
      const groups = listGroups(signature)
      if (groups.includes(blank.group)) return []
      const advice =
        groups.length === 0 ? `${blank.clue} has no named groups` : `${blank.clue} has ${groups.join(', ')}`
      return [{ path: at, message, advice }]
    }),
  )
}

function listGroups({ patterns }: Signature): readonly string[] {
  const names = patterns.flatMap(({ regex }) => [...regex.source.matchAll(/\(\?P?<(?<name>\w+)>/g)])
  return [...new Set(names.map(({ groups }) => groups?.['name'] ?? ''))]
}
