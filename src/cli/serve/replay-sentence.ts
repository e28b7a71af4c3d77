import { printable } from '#/cli/output/printable.ts'
import type { Style, Tone } from '#/cli/output/style.ts'
import type { Death } from '#/core/recorder/death.ts'

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['death', 'red'],
  ['never-started', 'yellow'],
  ['not-a-death', 'green'],
])

/** A death as one line of the console; null for clean ends. */
export function sentenceLine(
  death: Death,
  { now, style }: { readonly now: number; readonly style: Style },
): string | null {
  // Two dozen healthy runners end all the time, and an unjudged death has no verdict to print.
  if (death.cause === 'completed-normally' && death.job === null) return null
  const time = new Date(now).toISOString().slice(11, 19)
  const tone = TONES.get(death.kind) ?? 'bold'
  return `${style('dim', time)}  ${style(tone, printable(death.cause).padEnd(21))}  ${printable(death.sentence)}`
}
