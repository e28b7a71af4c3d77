import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { SOURCE_CASES } from '#test/contracts/bundle-sources.ts'
import { signal } from '#test/contracts/bundle.ts'
import { LONG_RUN, draws } from '#test/tiers/long-run.ts'
import type { BundleFiles } from './bundle-files.ts'
import { createBundle } from './create-bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'
import { writeBundle } from './write-bundle.ts'

const LIMITS = { ...BUNDLE_LIMITS, totalBytes: 10_000_000, fileBytes: 1_000_000 }
const META: BundleMeta = { collectedAt: 0, subject: {}, sources: new Map() }

async function askAll(bundle: Bundle): Promise<readonly Observed<unknown>[]> {
  return await Promise.all(SOURCE_CASES.map(async ({ read }) => await read(bundle)))
}

describe('a damaged bundle', () => {
  let root: string
  let whole: Buffer
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-damaged-'))
    const files = SOURCE_CASES.map(({ path, full }) => ({ path, content: full }))
    await writeBundle(join(root, 'whole.tar.gz'), { files, meta: () => META }, LIMITS, signal)
    whole = await readFile(join(root, 'whole.tar.gz'))
  })
  afterAll(() => rm(root, { recursive: true }))

  /** Why it is refused, or all that it says. */
  async function judgeFile(path: string): Promise<string | readonly Observed<unknown>[]> {
    const opening = await openBundle(path, LIMITS, signal)
    if (opening.kind === 'refused') return opening.why
    await using bundle = opening.bundle
    return await askAll(bundle)
  }

  it(
    'refuses every archive that is cut or has a flipped bit, or reads it as it was, five hundred times',
    { timeout: 180_000 },
    async () => {
      const path = join(root, 'damaged.tar.gz')
      const damage = fc.oneof(
        fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), bit: fc.constant(0) }),
        fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
      )
      const undamaged = await judgeFile(join(root, 'whole.tar.gz'))
      let refused = 0
      await fc.assert(
        fc.asyncProperty(damage, async ({ kind, at, bit }) => {
          const bytes = Buffer.from(whole)
          // The first ten bytes hold times and flags that change nothing in what is read.
          const place = 10 + (at % (bytes.length - 10))
          bytes[place] = (bytes[place] ?? 0) ^ (1 << bit)
          await writeFile(path, kind === 'cut' ? whole.subarray(0, place) : bytes)
          const judged = await judgeFile(path)
          // A few bits of a gzip file mean nothing.
          if (typeof judged !== 'string') expect(judged).toEqual(undamaged)
          else expect(judged).toMatch(/no bundle that can be read: ./)
          refused += typeof judged === 'string' ? 1 : 0
        }),
        { numRuns: draws(500), seed: 5 },
      )
      expect(refused).toBeGreaterThan(draws(500) - (LONG_RUN ? 10 : 2))
    },
  )

  it('gives a reason for every meta.json of wrong types, and blind is never read as looked', () => {
    const odd = fc.oneof(fc.constantFrom(null, 1, 'text', [], {}, true), fc.jsonValue({ maxDepth: 2 }))
    const answer = fc.record({ ok: odd, reason: odd, from: odd, to: odd }, { requiredKeys: [] })
    const meta = fc.record(
      {
        schemaVersion: fc.oneof(fc.constant(1), odd),
        collectedAt: fc.oneof(fc.constant('2026-06-06T21:40:00Z'), odd),
        subject: odd,
        sources: fc.oneof(fc.dictionary(fc.string(), fc.oneof(answer, odd)), odd),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(meta, (value) => {
        const reading = parseMeta(JSON.stringify(value))
        if (reading.kind === 'unreadable') expect(reading.why).not.toBe('')
        else
          for (const [name, read] of reading.meta.sources) {
            const given = (value.sources as Readonly<Record<string, { ok?: unknown }>>)[name]
            expect(read.kind === 'looked' && given?.ok !== true).toBe(false)
          }
      }),
      { numRuns: draws(1000), seed: 7 },
    )
  })

  it('answers for every source whatever stands in its file, a thousand times', { timeout: 180_000 }, async () => {
    const content = fc.oneof(
      fc.constantFrom(
        '<html>502</html>',
        '',
        'null',
        '[]',
        '{}',
        '{"items":null}',
        '{"items":[null]}',
        '{"items":[{"metadata":1}]}',
        '[[]]',
        '\u0000\u0001',
        '{"total_count":"x","runners":1}',
        '- &a [*a]',
        'a: &a [x,x]\nb: [*a,*a]',
        '!!binary x',
      ),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.constantFrom(...SOURCE_CASES.map(({ full }) => full)), fc.nat())
        .map(([full, at]) => full.slice(0, at % full.length)),
      fc.string({ unit: 'binary', maxLength: 200 }),
    )
    const contents = fc.array(content, { minLength: SOURCE_CASES.length, maxLength: SOURCE_CASES.length })
    await fc.assert(
      fc.asyncProperty(contents, async (texts) => {
        const files = inMemory(new Map(SOURCE_CASES.map(({ path }, index) => [path, Buffer.from(texts[index] ?? '')])))
        await using bundle = createBundle({ files, meta: META, limits: LIMITS, signal })
        for (const answer of await askAll(bundle)) {
          expect(answer).not.toMatchObject({ kind: 'blind', reason: { detail: '' } })
          expect(answer).not.toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
        }
      }),
      { numRuns: draws(1000), seed: 9 },
    )
  })
})

function inMemory(contents: ReadonlyMap<string, Uint8Array>): BundleFiles {
  return {
    sizes: new Map([...contents].map(([path, bytes]) => [path, bytes.length])),
    async *chunks(path) {
      yield contents.get(path) ?? new Uint8Array()
    },
    close: async () => {},
  }
}
