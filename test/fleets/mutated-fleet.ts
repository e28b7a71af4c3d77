import { seedChance } from '#test/bundles/mutate-chance.ts'
import type { Chance } from '#test/bundles/mutate-chance.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { MUTATIONS } from '#test/bundles/mutate.ts'
import { CONFIG_CHANGES } from './mutated-config.ts'
import { OBJECT_CHANGES } from './mutated-objects.ts'

export type FleetMutant = {
  readonly files: Files
  readonly touched: ReadonlySet<string>
  /** The changes in order. */
  readonly changes: readonly string[]
}

/** Changes one file; null if it does not apply. */
export type FleetChange = {
  readonly name: string
  readonly weight: number
  readonly fits: RegExp
  readonly change: (text: string, chance: Chance) => string | null
}

const CHANGES: readonly FleetChange[] = [...OBJECT_CHANGES, ...CONFIG_CHANGES]

/** The mutations for deaths also work for fleets, except those about journals and cgroups, and 20 MB lines. */
const LEFT_OUT = new Set(['huge line', 'five thousand pods', 'repeated line', 'odd stamp', 'odd count'])
const GENERAL = MUTATIONS.filter(({ name }) => !LEFT_OUT.has(name))
const SWAP = 'swap two files'
const RENAME = 'hostile path'

export const CHANGE_NAMES: readonly string[] = [
  ...CHANGES.map(({ name }) => name),
  ...GENERAL.map(({ name }) => name),
  RENAME,
]

const MOST_AT_ONCE = 3

/** One to three changes of one file each, decided by the seed. */
export function mutateFleet(files: Files, seed: number): FleetMutant {
  const chance = seedChance(seed)
  let mutant: FleetMutant = { files, touched: new Set(), changes: [] }
  for (let left = 1 + chance.int(MOST_AT_ONCE); left > 0 || mutant.changes.length === 0; left -= 1) {
    const path = pathFor(mutant.files, chance)
    if (path === null) break
    const way = chance.isOneIn(40) ? renamed : chance.isOneIn(2) ? changed : byGeneral
    const mutated = way(mutant.files, path, chance)
    if (mutated === null) continue
    mutant = {
      files: mutated.files,
      touched: mutant.touched.union(mutated.touched),
      changes: [...mutant.changes, ...mutated.changes],
    }
  }
  return mutant
}

const DECLARED = ['gitlab/config.toml', 'fleet.yaml']
const DECLARED_ONE_IN = 8

/** Every source has the same chance, however many files it has; hand-written files a higher one. */
function pathFor(files: Files, chance: Chance): string | null {
  const declared = DECLARED.filter((path) => files.has(path))
  if (declared.length > 0 && chance.isOneIn(DECLARED_ONE_IN)) return chance.pick(declared)
  const byGroup = Map.groupBy([...files.keys()], fileGroup)
  const [...groups] = byGroup.values()
  return groups.length === 0 ? null : chance.pick(chance.pick(groups))
}

function fileGroup(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'kubernetes' || first === 'github' || first === 'gitlab' ? `${first}/${second}` : first
}

function changed(files: Files, path: string, chance: Chance): FleetMutant | null {
  const fitting = CHANGES.filter(({ fits }) => fits.test(path))
  if (fitting.length === 0) return null
  const { name, change } = weighted(fitting, chance)
  const text = change(Buffer.from(files.get(path) ?? []).toString('utf8'), chance)
  if (text === null) return null
  return {
    files: new Map([...files, [path, Buffer.from(text)]]),
    touched: new Set([path]),
    changes: [`${name}, ${path}`],
  }
}

const HOSTILE_PATHS = ['__proto__', 'constructor', 'toString', '$(reboot)', '\u202e', 'x'.repeat(300), ' ']

/** File names are the names of nodes, hosts, pods and jobs. */
function renamed(files: Files, path: string, chance: Chance): FleetMutant | null {
  const parts = path.split('/')
  if (parts.length < 3) return null
  const index = 1 + chance.int(parts.length - 1)
  const ending = index === parts.length - 1 ? (/\.\w+$/.exec(path)?.[0] ?? '') : ''
  const target = parts.with(index, `${chance.pick(HOSTILE_PATHS)}${ending}`).join('/')
  const kept = [...files].map(([name, bytes]) => [name === path ? target : name, bytes] as const)
  return {
    files: new Map(kept),
    touched: new Set([path, target]),
    changes: [`${RENAME}, ${path} = ${target.slice(0, 80)}`],
  }
}

/** Only on this file, because the mutations for deaths look for files of deaths. */
function byGeneral(files: Files, path: string, chance: Chance): FleetMutant | null {
  const mutation = weighted(GENERAL, chance)
  const paths = mutation.name === SWAP ? [path, chance.pick([...files.keys()])] : [path]
  const mutated = mutation.apply(new Map(paths.map((name) => [name, files.get(name) ?? new Uint8Array()])), chance)
  if (mutated === null) return null
  const kept = new Map([...files].filter(([name]) => !paths.includes(name)))
  return {
    files: new Map([...kept, ...mutated.files]),
    touched: new Set([path, ...mutated.touched]),
    changes: [`${mutation.name}, ${mutated.description}`],
  }
}

function weighted<T extends { readonly weight: number }>(items: readonly T[], chance: Chance): T {
  const parts = 1000
  let place = chance.int(items.reduce((sum, { weight }) => sum + weight, 0) * parts) / parts
  for (const item of items) {
    place -= item.weight
    if (place < 0) return item
  }
  return chance.pick(items)
}
