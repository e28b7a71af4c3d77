import { readAll } from '#/adapters/bundle/read-all.ts'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { BYTE_MUTATIONS } from '#test/bundles/mutate-bytes.ts'
import { seedChance } from '#test/bundles/mutate-chance.ts'
import type { Chance } from '#test/bundles/mutate-chance.ts'
import { FILE_MUTATIONS } from '#test/bundles/mutate-files.ts'
import type { Files, Mutation } from '#test/bundles/mutate-files.ts'
import { JSON_MUTATIONS } from '#test/bundles/mutate-json.ts'

export const MUTATIONS: readonly Mutation[] = [...FILE_MUTATIONS, ...BYTE_MUTATIONS, ...JSON_MUTATIONS]

export type Mutant = {
  readonly files: Files
  readonly touched: ReadonlySet<string>
  /** What was done to it, in order. */
  readonly changes: readonly string[]
  readonly isOnlyLoss: boolean
}

const MOST_AT_ONCE = 3
const TOTAL_WEIGHT = MUTATIONS.reduce((sum, { weight }) => sum + weight, 0)
const PARTS = 1000

/** One to three mutations, by the seed alone. Half of the mutants only lose something. */
export function mutate(files: Files, seed: number): Mutant {
  const chance = seedChance(seed)
  const isLossAlone = chance.isOneIn(2)
  let mutant: Mutant = { files, touched: new Set(), changes: [], isOnlyLoss: true }
  for (let left = 1 + chance.int(MOST_AT_ONCE); left > 0 || mutant.changes.length === 0; left -= 1) {
    const mutation = chooseMutation(chance)
    const mutated = isLossAlone && !mutation.isLoss ? null : mutation.apply(mutant.files, chance)
    if (mutated === null) continue
    mutant = {
      files: mutated.files,
      touched: mutant.touched.union(new Set(mutated.touched)),
      changes: [...mutant.changes, `${mutation.name}, ${mutated.description}`],
      isOnlyLoss: mutant.isOnlyLoss && mutation.isLoss,
    }
  }
  return mutant
}

function chooseMutation(chance: Chance): Mutation {
  let place = chance.int(TOTAL_WEIGHT * PARTS) / PARTS
  for (const mutation of MUTATIONS) {
    place -= mutation.weight
    if (place < 0) return mutation
  }
  return chance.pick(MUTATIONS)
}

/** All files of a known bundle, in memory. */
export async function readKnownFiles({ archive }: KnownBundle): Promise<Files> {
  const packed = await openArchiveFiles(archive, BUNDLE_LIMITS, new AbortController().signal)
  try {
    const files = new Map<string, Uint8Array>()
    for (const path of packed.sizes.keys()) files.set(path, await readAll(packed.chunks(path), BUNDLE_LIMITS.fileBytes))
    return files
  } finally {
    await packed.close()
  }
}
