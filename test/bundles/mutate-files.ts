import type { Chance } from '#test/bundles/mutate-chance.ts'

/** The files of a bundle, in memory. */
export type Files = ReadonlyMap<string, Uint8Array>

export type Mutation = {
  readonly name: string
  /** It can only take away from what the files say, never make them say something else. */
  readonly isLoss: boolean
  readonly weight: number
  /** Null where these files give it nothing to work on. */
  readonly apply: (files: Files, chance: Chance) => Mutated | null
}

type Mutated = { readonly files: Files; readonly touched: readonly string[]; readonly description: string }

/** The result of changing one file; the text says where and what, for a failed test. */
export type Changed = { readonly bytes: Uint8Array | string; readonly description: string }

/** Files that a verdict rests on. Others are chosen now and then. */
const ASKED_FOR =
  /^(?:logs|journal|cgroup|host|github)\/|^kubernetes\/(?:pods|events|nodes|namespaces|ephemeralrunners|audit)\.jsonl?$/
const OTHERS_ONE_IN = 20

/** A mutation of one file among those that fit. */
export function onFile(
  given: Omit<Mutation, 'apply'> & { readonly fits?: RegExp },
  change: (bytes: Uint8Array, chance: Chance) => Changed | null,
): Mutation {
  return {
    name: given.name,
    isLoss: given.isLoss,
    weight: given.weight,
    apply: (files, chance) => {
      const path = choosePath(files, chance, given.fits)
      const bytes = path === null ? undefined : files.get(path)
      const changed = bytes === undefined ? null : change(bytes, chance)
      if (path === null || changed === null) return null
      const content = typeof changed.bytes === 'string' ? Buffer.from(changed.bytes) : changed.bytes
      return { files: new Map([...files, [path, content]]), touched: [path], description: `${path}: ${changed.description}` }
    },
  }
}

function choosePath(files: Files, chance: Chance, fits?: RegExp): string | null {
  const fitting = [...files.keys()].filter((path) => fits?.test(path) ?? true)
  const asked = fitting.filter((path) => ASKED_FOR.test(path))
  const paths = asked.length === 0 || chance.isOneIn(OTHERS_ONE_IN) ? fitting : asked
  return paths.length === 0 ? null : chance.pick(paths)
}

export const FILE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'delete a file',
    isLoss: true,
    weight: 8,
    apply: (files, chance) => {
      const path = choosePath(files, chance)
      if (path === null) return null
      return { files: new Map([...files].filter(([name]) => name !== path)), touched: [path], description: path }
    },
  },
  {
    name: 'swap two files',
    isLoss: false,
    weight: 5,
    apply: (files, chance) => {
      const [one, two] = [choosePath(files, chance), choosePath(files, chance)]
      const [first, second] = [files.get(one ?? ''), files.get(two ?? '')]
      if (one === null || two === null || first === undefined || second === undefined || one === two) return null
      const swapped = new Map([...files, [one, second] as const, [two, first] as const])
      return { files: swapped, touched: [one, two], description: `${one} and ${two}` }
    },
  },
  {
    name: 'delete a folder',
    isLoss: true,
    weight: 3,
    apply: (files, chance) => {
      const path = choosePath(files, chance)
      const folder = path?.replace(/[^/]*$/, '') ?? ''
      if (folder === '') return null
      const touched = [...files.keys()].filter((name) => name.startsWith(folder))
      return { files: new Map([...files].filter(([name]) => !name.startsWith(folder))), touched, description: folder }
    },
  },
]
