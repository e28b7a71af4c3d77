import { beforeAll, describe, expect, it } from 'vitest'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { AUDITS } from '#/audits/index.ts'
import { examine } from '#/cli/audit/examine.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { openFiles } from '#test/bundles/mutate-judge.ts'
import { LONG_RUN } from '#test/tiers/long-run.ts'
import { mutatedBases } from './mutated-bases.ts'
import { CHANGE_NAMES, mutateFleet } from './mutated-fleet.ts'
import { faultsIn, remembering, reuseReadings } from './mutated-judge.ts'
import type { Looking } from './mutated-judge.ts'

const BLOCK = LONG_RUN ? 1000 : 600
const BLOCKS = Array.from(
  { length: LONG_RUN ? 10 : 1 },
  (_, index) => [index * BLOCK + 1, (index + 1) * BLOCK] as const,
)
const LONGEST_MS = 2000
const SHOWN = 12
const AT_ONCE = 2
/** These break a secret in two, and no rule can recognise the halves. */
const BREAKING = new Set([
  'flip',
  'garble',
  'truncate',
  'behead',
  'swap two files',
  'long line',
  'byte order mark',
  'odd uid',
])

type Base = { readonly name: string; readonly files: Files; readonly whole: Bundle; readonly runner: string }

describe('a mutated fleet', () => {
  let bases: readonly Base[] = []
  const done = new Set<string>()
  const asked = new Set<string>()

  beforeAll(async () => {
    bases = (await mutatedBases()).map((base) => Object.assign({}, base, { whole: remembering(opened(base.files)) }))
  })

  const tryOne = async (seed: number): Promise<readonly string[]> => {
    const base = bases[seed % bases.length]
    if (base === undefined) throw new Error('no fleets')
    const mutant = mutateFleet(base.files, seed)
    const names = mutant.changes.map((findings) => findings.split(',', 1)[0] ?? '')
    for (const name of names) done.add(name)
    const audits = touchedAudits(mutant.touched, seed)
    for (const { id } of audits) asked.add(id)
    const before = process.cpuUsage()
    const faults = await judged(mutant.files, {
      audits,
      runner: base.runner,
      prepare: (bundle) => reuseReadings(base.whole, bundle, mutant.touched),
      looking: { secrets: seed % 2 === 0 && !names.some((name) => BREAKING.has(name)), table: seed % 8 < 2 },
    })
    // CPU time of this process: wall time depends on other processes.
    const { user, system } = process.cpuUsage(before)
    const took = (user + system) / 1000
    const all = took < LONGEST_MS ? faults : [...faults, `it took ${Math.round(took)} ms`]
    return all.map((fault) => `seed ${seed} of ${base.name}: ${mutant.changes.join('; ')} → ${fault}`)
  }

  it.each(BLOCKS)(
    'gives an answer of the contract or a clear refusal, seeds %i to %i',
    { timeout: 300_000 },
    async (first, last) => {
      const faults: string[] = []
      for (let seed = first; seed <= last; seed += 1) faults.push(...(await tryOne(seed)))
      expect(brief(faults)).toEqual([])
    },
  )

  it('was mutated in every way', () => {
    const left = CHANGE_NAMES.filter((name) => !done.has(name))
    expect(left.length).toBeLessThanOrEqual(LONG_RUN ? 0 : CHANGE_NAMES.length / 4)
    expect(AUDITS.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual([])
  })
})

function opened(files: Files): Bundle {
  const bundle = openFiles(files)
  if ('why' in bundle) throw new Error(bundle.why)
  return bundle
}

/** Only audits that read a touched file, a few at a time: the others cannot change. */
function touchedAudits(touched: ReadonlySet<string>, seed: number): readonly Audit[] {
  const reading = AUDITS.filter(({ reads }) =>
    reads.some(({ source }) =>
      [...touched].some((path) => path.startsWith(`${source}.`) || path.startsWith(`${source}/`)),
    ),
  )
  const fitting = reading.length === 0 ? AUDITS : reading
  return Array.from(
    { length: Math.min(AT_ONCE, fitting.length) },
    (_, index) => fitting[(seed + index) % fitting.length],
  ).filter((audit) => audit !== undefined)
}

type Trial = {
  readonly audits: readonly Audit[]
  readonly runner: string
  readonly prepare: (bundle: Bundle) => Bundle
  readonly looking: Looking
}

async function judged(files: Files, { audits, runner, prepare, looking }: Trial): Promise<readonly string[]> {
  try {
    const bundle = openFiles(files)
    if ('why' in bundle) return /^\S.{5,400}$/.test(bundle.why) ? [] : [`an unclear refusal: ${bundle.why}`]
    const fleet = readFleet(await readSnapshot(prepare(bundle), audits, readFleetDocument))
    const question = { ...WHOLE_FLEET, runner }
    return await faultsIn(examine(fleet, { audits, areNamed: true, question }), looking)
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error)]
  }
}

function brief(faults: readonly string[]): readonly string[] {
  const shown = faults.slice(0, SHOWN).map((fault) => (fault.length > 900 ? `${fault.slice(0, 900)}…` : fault))
  return faults.length > SHOWN ? [...shown, `… and ${faults.length - SHOWN} more`] : shown
}
