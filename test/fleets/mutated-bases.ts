import { textAt } from '#/core/basics/fields.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { plantSecrets } from '#test/bundles/secret-plant.ts'
import { SHAPES } from '#test/bundles/secret-shapes.ts'
import type { Shape } from '#test/bundles/secret-shapes.ts'
import { completed, readRows } from './blindness-fleet.ts'
import { readFleetFiles, readText, withFile } from './fleet-files.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

export type MutatedBase = { readonly name: string; readonly files: Files; readonly runner: string }

/** Fleets in different states, with every source and with a secret in every text. */
const NAMES = [
  'healthy-ordinary-0.14.2',
  'gitlab-toml-0.12.1',
  '0.14.2-healthy-idle',
  '0.14.2-wedged-values-change',
  '0.12.1-quota-holds-capacity',
  '0.14.2-runner-image-pull-401',
  '0.14.2-controller-down-job-invisible',
]

export async function mutatedBases(): Promise<readonly MutatedBase[]> {
  const known = KNOWN_FLEETS.filter(({ name }) => NAMES.includes(name))
  const bases = known.map(async ({ name, path }, index) => {
    const whole = shortened(completed(await readFleetFiles(path)))
    return { name, files: planted(whole, index * 7), runner: findRunner(whole) }
  })
  return Promise.all(bases)
}

function findRunner(files: Files): string {
  return readRows(files, 'ephemeralrunners').flatMap((row) => textAt(row, 'metadata', 'name') ?? [])[0] ?? 'none'
}

const KEPT_LINES = 30
const KEPT_ROWS = 12

/** Ten thousand mutants are read, so repetitive files keep only their end. */
function shortened(files: Files): Files {
  return [...files.keys()].reduce((now, name) => {
    const text = readText(now, name)
    if (/\.(?:log|jsonl)$/.test(name)) {
      return withFile(now, name, `${text.trimEnd().split('\n').slice(-KEPT_LINES).join('\n')}\n`)
    }
    if (name !== 'kubernetes/serviceaccounts.json' && name !== 'kubernetes/events.json') return now
    const list = JSON.parse(text) as { readonly items: readonly unknown[] }
    return withFile(now, name, JSON.stringify({ ...list, items: list.items.slice(-KEPT_ROWS) }))
  }, files)
}

/** Config files keep their format, with a secret where one can be. */
function planted(files: Files, first: number): Files {
  let index = first
  const next = (): Shape => {
    const shape = SHAPES[index % SHAPES.length]
    index += 1
    if (shape === undefined) throw new Error('no shapes')
    return shape
  }
  const plain = new Map([...files].filter(([name]) => !/\.(?:toml|yaml)$|^host\//.test(name)))
  // The collector's remarks are many: only one fleet has secrets in them.
  const isMetaPlain = first > 0
  const declared = [...files].filter(([name]) => !plain.has(name) || (isMetaPlain && name === 'meta.json'))
  const all = new Map([...plantSecrets(plain, { next, cutAt: null }), ...declared])
  const token = SHAPES.find(({ fitsName }) => fitsName === true)?.line.split(' ')[1] ?? ''
  const config = readText(all, 'gitlab/config.toml').replace('executor', `token = "${token}"\n  executor`)
  const fleet = readText(all, 'fleet.yaml').replace('"quiet"', `"quiet-${token}"`)
  return withFile(withFile(all, 'gitlab/config.toml', config), 'fleet.yaml', fleet)
}
