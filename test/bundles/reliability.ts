import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { seedChance } from '#test/bundles/mutate-chance.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'
import { thinned } from '#test/bundles/thinned.ts'
import { REMOVABLE, withoutSources } from '#test/bundles/without-sources.ts'

/** A verdict that was given at some confidence, and whether it was the right one. */
export type Given = { readonly bundle: string; readonly cause: string; readonly confidence: number; readonly isRight: boolean }

export type Loss = 'nothing' | 'whole sources' | 'whole sources, and lines of the others'

const MISSING_ONE_IN = 3

/** Judges each bundle again and again with sources missing at random; the seed repeats it. */
export async function drawVerdicts(
  known: readonly KnownBundle[],
  { loss, draws, seed }: { readonly loss: Loss; readonly draws: number; readonly seed: number },
): Promise<readonly Given[]> {
  const given: Given[] = []
  for (const [index, { name, archive, expected }] of known.entries()) {
    await using bundle = await openKnown(archive)
    for (let draw = 0; draw < draws; draw += 1) {
      const chance = seedChance(seed + index * draws + draw)
      const missing = REMOVABLE.filter(() => loss !== 'nothing' && chance.isOneIn(MISSING_ONE_IN))
      const rest = loss === 'whole sources, and lines of the others' ? thinned(bundle, chance) : bundle
      const judged = await judgeKnown(withoutSources(rest, new Set(missing)))
      const { cause, confidence } = judged?.verdict ?? { cause: 'unknown', confidence: 0 }
      const isRight = [expected.cause, ...expected.acceptable].includes(cause)
      given.push({ bundle: name, cause, confidence, isRight })
    }
  }
  return given
}

export type Band = {
  readonly from: number
  readonly to: number
  readonly given: number
  readonly right: number
  readonly wrong: readonly string[]
}

/** The verdicts that name a cause, by confidence; the upper end belongs to the last band. */
export function countBands(given: readonly Given[]): readonly Band[] {
  const edges = [0, 0.5, 0.7, 0.9, 1]
  return edges.slice(1).map((to, index) => {
    const from = edges[index] ?? 0
    const isIn = ({ confidence }: Given): boolean => confidence >= from && (confidence < to || (to === 1 && confidence === 1))
    const named = given.filter((one) => isIn(one) && one.cause !== 'unknown')
    const wrong = named.filter(({ isRight }) => !isRight).map(({ bundle, cause }) => `${bundle}: ${cause}`)
    return { from, to, given: named.length, right: named.length - wrong.length, wrong: [...new Set(wrong)] }
  })
}
