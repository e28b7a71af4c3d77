import { listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import { clip, shortAge } from '#/cli/output/cells.ts'
import type { Section } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'

/** What the lists about jobs, runners and pools have in common. */

export const listFilters = {
  pool: { kind: 'option', value: 'POOL', summary: 'Only this pool: NAMESPACE/NAME, or NAME' },
  repository: { kind: 'option', value: 'OWNER/NAME', summary: 'Only jobs of this repository' },
} as const

export const listExitCodes = {
  0: 'The list was printed; it may be empty.',
  1: 'No pool has the name of --pool, or several have it.',
  2: 'The command line is wrong.',
  3: 'No server answers, or it refuses access.',
} as const

/** The most that the server gives at once. */
export const MOST_ROWS = 1000

/** A text of the answer, safe for a terminal; `-` where there is none. */
export function cell(row: unknown, ...path: readonly string[]): string {
  const text = textAt(row, ...path)
  return text === null || text === '' ? '-' : printable(text)
}

export function clipped(row: unknown, most: number, ...path: readonly string[]): string {
  return clip(cell(row, ...path), most)
}

export function numberCell(row: unknown, ...path: readonly string[]): string {
  return String(numberAt(row, ...path) ?? '-')
}

export function ageCell(row: unknown, name: string, now: number): string {
  const at = timeAt(row, name)
  return at === null ? '-' : shortAge(now - at)
}

/** A sentence begins with what matters. */
export function cutSentence(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

/** Why a list may be empty or lack something, before anybody takes it for good news. */
export function caveats(answer: unknown, isDispatching: boolean): readonly Section[] {
  const blind = listAt(answer, 'blind').map(
    (one) => `The ${cell(one, 'source')} cannot be seen now: ${cell(one, 'reason')}`,
  )
  const off = isDispatching ? [] : ['This server has no pools of its own: dispatch.enabled turns them on.']
  return [...off, ...blind].map((text) => ({ text }))
}
