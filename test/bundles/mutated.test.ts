import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { gzipBomb, hostileArchive } from '#test/bundles/mutate-archive.ts'
import { findFaults, wrongCertainty } from '#test/bundles/mutate-faults.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { judgeOpened, judgeFiles, judgeMutant } from '#test/bundles/mutate-judge.ts'
import type { Outcome } from '#test/bundles/mutate-judge.ts'
import { MUTATIONS, mutate, readKnownFiles } from '#test/bundles/mutate.ts'
import { openKnown } from '#test/bundles/open-known.ts'
import { plantSecrets, renameEverywhere } from '#test/bundles/secret-plant.ts'
import { LONG_RUN, draws, sampled } from '#test/tiers/long-run.ts'

const BLOCK = LONG_RUN ? 1000 : 300
const BLOCKS = Array.from({ length: LONG_RUN ? 9 : 1 }, (_, index) => [index * BLOCK + 1, (index + 1) * BLOCK] as const)
const LONGEST_MS = 5000
const SHOWN = 20

type Original = KnownBundle & { readonly files: Files; readonly whole: Bundle }

/** What a seed makes, and what came of it. */
type Trial = { readonly faults: readonly string[]; readonly wrong: readonly string[]; readonly done: readonly string[] }

describe('a bundle that was mutated', () => {
  let originals: readonly Original[] = []
  const trials: Trial[] = []

  beforeAll(async () => {
    originals = await Promise.all(
      KNOWN_BUNDLES.map(async (known) => ({
        ...known,
        // Two folders may have the same name.
        name: `${basename(dirname(known.archive))}/${known.name}`,
        files: await readKnownFiles(known),
        whole: await openKnown(known.archive),
      })),
    )
  })
  afterAll(() => Promise.all(originals.map(({ whole }) => whole[Symbol.asyncDispose]())))

  const readOriginal = (seed: number): Original => {
    const original = originals[seed % originals.length]
    if (original === undefined) throw new Error('no known bundles')
    return original
  }

  const tryOne = async (seed: number): Promise<Trial> => {
    const { name, files, whole, expected } = readOriginal(seed)
    const mutant = mutate(files, seed)
    const describeFault = (what: string): string => `seed ${seed} of ${name}: ${mutant.changes.join('; ')} → ${what}`
    const { faults, outcome } = await judgeSeed(() => judgeMutant(mutant, whole))
    const wrong = mutant.isOnlyLoss && outcome !== null ? wrongCertainty(outcome, expected) : null
    return {
      faults: faults.map(describeFault),
      wrong: wrong === null ? [] : [describeFault(wrong)],
      done: mutant.changes.map((change) => change.split(',', 1)[0] ?? ''),
    }
  }

  it.each(BLOCKS)(
    'gives a verdict of the contract or a clear refusal, seeds %i to %i',
    { timeout: 300_000 },
    async (first, last) => {
      const faults: string[] = []
      for (let seed = first; seed <= last; seed += 1) {
        const trial = await tryOne(seed)
        trials.push(trial)
        faults.push(...trial.faults)
      }
      expect(brief(faults)).toEqual([])
    },
  )

  it('never names another cause if it only lost evidence', () => {
    expect(trials).toHaveLength(BLOCKS.length * BLOCK)
    expect(brief(trials.flatMap(({ wrong }) => wrong))).toEqual([])
  })

  it('shows no terminal control character, wherever it is', { timeout: 300_000 }, async () => {
    const terminal = { name: 'terminal', line: '\u001b[2J\u009b2J\u202e\u0007', bodies: ['\u001b[2J'] }
    const faults: string[] = []
    for (const { name, files, whole } of sampled(originals, 5)) {
      const answer = await judgeOpened(whole)
      const [result] = answer.kind === 'judged' ? answer.results : []
      const named = [result?.subject.pod, result?.subject.node, result?.verdict.actor?.replace(/^user:/, '')]
      const renamed = named
        .filter((text) => text !== undefined && text !== null)
        .reduce(
          (now, text) => renameEverywhere(now, text, `${text}\u202e\u009b`),
          plantSecrets(files, { next: () => terminal, cutAt: null }),
        )
      const { faults: found } = await judgeSeed(() => judgeFiles(renamed))
      faults.push(...found.map((fault) => `${name}: ${fault}`))
    }
    expect(brief(faults)).toEqual([])
  })

  it('was mutated in every way', () => {
    const done = new Set(trials.flatMap((trial) => trial.done))
    const left = MUTATIONS.map(({ name }) => name).filter((name) => !done.has(name))
    expect(left.length).toBeLessThanOrEqual(LONG_RUN ? 0 : MUTATIONS.length / 4)
  })
})

describe('a hostile archive', () => {
  const originals: { name: string; files: Files }[] = []
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-hostile-'))
    // Small ones: each is packed a hundred times.
    const small = KNOWN_BUNDLES.filter(({ archive }) => archive.includes('fresh')).slice(0, 10)
    for (const known of small) originals.push({ name: known.name, files: await readKnownFiles(known) })
  })
  afterAll(() => rm(root, { recursive: true }))

  const judgeArchive = async (path: string): Promise<Outcome> => {
    const opening = await openBundle(path, BUNDLE_LIMITS, new AbortController().signal)
    if (opening.kind === 'refused') return opening
    await using bundle = opening.bundle
    return await judgeOpened(bundle)
  }

  it('is refused with a reason, or harmless, a thousand times', { timeout: 300_000 }, async () => {
    const faults: string[] = []
    const path = join(root, 'hostile.tar.gz')
    for (let seed = 1; seed <= draws(1000); seed += 1) {
      const original = originals[seed % originals.length]
      if (original === undefined) throw new Error('no known bundles')
      const archive = hostileArchive(original.files, seed)
      await writeFile(path, archive.bytes)
      const { faults: found, outcome } = await judgeSeed(() => judgeArchive(path))
      const isLetIn = archive.mustBeRefused && outcome?.kind !== 'refused'
      const all = [...found, ...(isLetIn ? ['it was let in'] : [])]
      faults.push(...all.map((fault) => `seed ${seed} of ${original.name}: ${archive.description} → ${fault}`))
    }
    expect(brief(faults)).toEqual([])
  })

  it(
    'is refused where it unpacks to more than two gibibytes, and needs no memory for it',
    { timeout: 300_000 },
    async () => {
      const path = join(root, 'bomb.tar.gz')
      const bomb = gzipBomb(originals[0]?.files ?? new Map(), 2100)
      expect(bomb.length).toBeLessThan(4_000_000)
      await writeFile(path, bomb)
      const before = process.memoryUsage().rss
      expect(await judgeArchive(path)).toMatchObject({
        kind: 'refused',
        why: expect.stringContaining('more than') as string,
      })
      expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    },
  )
})

/** The outcome with its faults. A thrown error is a fault too. */
async function judgeSeed(judge: () => Promise<Outcome>): Promise<{ faults: readonly string[]; outcome: Outcome | null }> {
  // CPU time of this process: wall time depends on other processes.
  const before = process.cpuUsage()
  try {
    const outcome = await judge()
    const faults = await findFaults(outcome)
    const { user, system } = process.cpuUsage(before)
    const took = (user + system) / 1000
    return { faults: took < LONGEST_MS ? faults : [...faults, `it took ${Math.round(took)} ms`], outcome }
  } catch (error) {
    return {
      faults: [
        error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error),
      ],
      outcome: null,
    }
  }
}

function brief(faults: readonly string[]): readonly string[] {
  const shown = faults.slice(0, SHOWN).map((fault) => (fault.length > 1500 ? `${fault.slice(0, 1500)}…` : fault))
  return faults.length > SHOWN ? [...shown, `… and ${faults.length - SHOWN} more`] : shown
}
