import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import type { CauseExample, DescribedCause, ExampleBundle } from './cause-pages.ts'
import { SHOWN_EXAMPLES, UNKNOWN, causeIndex, causePage, inOrderOfShowing } from './cause-pages.ts'
import { JUDGED_BUNDLES } from '#test/bundles/known-bundles.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const folder = path.join(root, 'docs', 'causes')
const DESCRIBED: readonly DescribedCause[] = [...CAUSES, UNKNOWN]

function listBundles(id: string): readonly (ExampleBundle & { readonly archive: string })[] {
  return JUDGED_BUNDLES.filter(({ expected }) => expected.cause === id).map(({ archive, expected }) => ({
    archive,
    path: path.relative(root, archive).split(path.sep).join('/'),
    isRecorded: !path.basename(path.dirname(archive)).startsWith('fresh'),
    why: expected.why,
    trap: expected.trap ?? null,
  }))
}

/** An answer that is wrong is no example of its cause: test/bundles/verdicts.test.ts reports it. */
async function judgeExamples(id: string): Promise<readonly CauseExample[]> {
  const examples: CauseExample[] = []
  for (const bundle of inOrderOfShowing(listBundles(id))) {
    if (examples.length === SHOWN_EXAMPLES) break
    await using opened = await openKnown(bundle.archive)
    const investigation = await judgeKnown(opened)
    if (investigation?.verdict.cause === id) examples.push({ ...bundle, judgement: investigation })
  }
  return examples
}

const buildPage = async (cause: DescribedCause) => causePage(cause, await judgeExamples(cause.id))

const bundle = (name: string, trap: string | null, isRecorded = false): ExampleBundle => ({
  path: `test/bundles/${isRecorded ? 'deaths' : 'fresh'}/${name}.tar.gz`,
  isRecorded,
  why: 'because',
  trap,
})

describe('docs/causes', () => {
  it.each(DESCRIBED.map((cause) => [cause.id, cause] as const))(
    '%s says what its file and its bundles say',
    async (id, cause) => {
      await expect(await buildPage(cause)).toMatchFileSnapshot(path.join(folder, `${id}.md`))
    },
  )

  it('has an index that matches the causes', async () => {
    await expect(causeIndex(DESCRIBED)).toMatchFileSnapshot(path.join(folder, 'README.md'))
  })

  it('has no page of a removed cause', () => {
    const pages = new Set(['README.md', ...DESCRIBED.map(({ id }) => `${id}.md`)])
    expect(readdirSync(folder).filter((name) => !pages.has(name))).toEqual([])
  })
})

describe('the page of a cause', () => {
  it('is the same text each time', async () => {
    expect(await buildPage(UNKNOWN)).toBe(await buildPage(UNKNOWN))
  })

  it('shows the recorded case first and then one that misleads, however the bundles are ordered', () => {
    const bundles = [bundle('a', 'x'), bundle('b', null), bundle('c', 'y'), bundle('d', null, true)]
    const names = ['d', 'a', 'b', 'c'].map((name) => expect.stringMatching(`/${name}\\.tar\\.gz$`) as string)
    expect(inOrderOfShowing(bundles).map(({ path: at }) => at)).toEqual(names)
    expect(inOrderOfShowing(bundles.toReversed()).map(({ path: at }) => at)).toEqual(names)
  })

  it('escapes foreign text, and names no registry host', async () => {
    const [known] = JUDGED_BUNDLES
    if (known === undefined) throw new Error('there are no bundles')
    await using opened = await openKnown(known.archive)
    const investigation = await judgeKnown(opened)
    if (investigation === null) throw new Error('the bundle has no subject')
    const host = ['registry', 'npmjs', 'org'].join('.')
    const page = causePage(UNKNOWN, [
      { ...bundle('a', `${host} refused`), why: '<img> [x](y) `z`', judgement: investigation },
    ])
    expect(page).toContain('\\<img> \\[x\\](y) \\`z\\`')
    expect(page).toContain('**What misleads:** registry.example refused')
  })
})
