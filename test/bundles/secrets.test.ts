import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { writeBundle } from '#/adapters/bundle/write-bundle.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import type { KnownBundle } from '#test/bundles/known-bundles.ts'
import { rendered } from '#test/bundles/mutate-faults.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { judgeFiles } from '#test/bundles/mutate-judge.ts'
import { readKnownFiles } from '#test/bundles/mutate.ts'
import { plantSecrets, renameEverywhere } from '#test/bundles/secret-plant.ts'
import { SHAPES, seenIn } from '#test/bundles/secret-shapes.ts'
import type { Shape } from '#test/bundles/secret-shapes.ts'
import { sampled } from '#test/tiers/long-run.ts'

const FORMATS = ['text', 'json', 'yaml', 'markdown'] as const
const SHOWN = 20
/** Where `why` cuts what it shows of a line. */
const SHOWN_CHARACTERS = 240
const signal = new AbortController().signal

/** In turn, starting with the next one each time. */
function turn(first: number, shapes: readonly Shape[] = SHAPES): () => Shape {
  let index = first
  return () => {
    const shape = shapes[index % shapes.length]
    index += 1
    if (shape === undefined) throw new Error('no shapes')
    return shape
  }
}

function describeSeen(where: string, text: string): readonly string[] {
  return [...seenIn(text)].map(([name, around]) => `${where}: ${name} in ${JSON.stringify(around)}`)
}

function brief(leaks: readonly string[]): readonly string[] {
  return leaks.length > SHOWN ? [...leaks.slice(0, SHOWN), `… and ${leaks.length - SHOWN} more`] : leaks
}

function known(name: string): KnownBundle {
  const found = KNOWN_BUNDLES.find((bundle) => bundle.name === name)
  if (found === undefined) throw new Error(`no bundle ${name}`)
  return found
}

/** The answer in every format. */
async function answersOn(files: Files): Promise<readonly (readonly [string, string])[]> {
  const outcome = await judgeFiles(files)
  if (outcome.kind === 'refused') return [['refused', outcome.why]]
  return Promise.all(FORMATS.map(async (format) => [format, await rendered(outcome.results, format)] as const))
}

describe('a secret in the evidence', () => {
  it.each([
    ['after every text of a source', null],
    ['across the place where a line is truncated', SHOWN_CHARACTERS],
  ])('is shown by no answer, %s, in every known bundle', { timeout: 300_000 }, async (_where, cutAt) => {
    const leaks: string[] = []
    for (const [index, bundle] of sampled(KNOWN_BUNDLES, 6).entries()) {
      const planted = plantSecrets(await readKnownFiles(bundle), { next: turn(index), cutAt })
      for (const [format, answer] of await answersOn(planted))
        leaks.push(...describeSeen(`${bundle.name} -o ${format}`, answer))
    }
    expect(brief(leaks)).toEqual([])
  })

  it('is redacted in every source that can be shown', { timeout: 300_000 }, async () => {
    const marked = new Set<string>()
    for (const [index, bundle] of sampled(KNOWN_BUNDLES, 3).entries()) {
      const planted = plantSecrets(await readKnownFiles(bundle), { next: turn(index), cutAt: null })
      const [, json = '{}'] = (await answersOn(planted)).find(([format]) => format === 'json') ?? []
      const rows = json.matchAll(/"source": "(?<source>[^"]+)",\s+"(?<what>fact|reason)": "[^\n]*‹redacted:/g)
      for (const { groups } of rows) marked.add(`${groups?.['what']} of ${sourceName(groups?.['source'] ?? '')}`)
    }
    const output = ['kubernetes/pods', 'kubernetes/events', 'kubernetes/ephemeralrunners', 'logs', 'journal']
    const atGitHub = ['github/jobs', 'github/annotations', 'github/logs']
    for (const source of [...output, ...atGitHub]) expect([...marked]).toContain(`fact of ${source}`)
    expect([...marked]).toContain('reason of kubernetes/audit')
  })

  it.each(SHAPES.map((shape) => [shape.name, shape] as const))(
    '%s is shown by no answer, wherever it is',
    async (_name, shape) => {
      const leaks: string[] = []
      for (const name of sampled(['deadline-exceeded', 'evicted-rejected-by-restarted-kubelet', 'image-pull'], 3)) {
        const planted = plantSecrets(await readKnownFiles(known(name)), { next: turn(0, [shape]), cutAt: null })
        for (const [format, answer] of await answersOn(planted)) leaks.push(...describeSeen(`${name} -o ${format}`, answer))
      }
      expect(brief(leaks)).toEqual([])
    },
  )
})

function sourceName(source: string): string {
  const [first = '', second = ''] = source.split('/')
  return first === 'kubernetes' || first === 'github' ? `${first}/${second}` : first
}

describe('a secret in a name', () => {
  const [, , token] = SHAPES
  const secret = token?.line.split(' ')[1] ?? ''

  it.each([
    ['a pod', 'ads-4vcpu-n8qcd-runner-w3k7v'],
    ['a namespace', 'arc-ads'],
    ['a node', 'runner-node-1'],
    ['a user', 'jane.doe@acme.example'],
  ])('of %s is shown by no answer', async (_what, name) => {
    const files = await readKnownFiles(known('force-deleted'))
    const renamed = renameEverywhere(files, name, `${name}-${secret}`)
    const answers = await answersOn(renamed)
    expect(answers.map(([format]) => format)).toEqual(FORMATS)
    expect(answers.flatMap(([format, answer]) => describeSeen(`-o ${format}`, answer))).toEqual([])
  })
})

describe('a bundle that is written', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'signalbox-secrets-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const writeAll = async (target: string, files: Files): Promise<void> => {
    const content = [...files]
      .filter(([path]) => path !== 'meta.json')
      .map(([path, bytes]) => ({ path, content: bytes }))
    const draft = { files: content, meta: () => buildMeta(files) }
    expect(await writeBundle(target, draft, BUNDLE_LIMITS, signal)).toMatchObject({ kind: 'written' })
  }

  it('holds no secret in any file, in any form', { timeout: 300_000 }, async () => {
    const leaks: string[] = []
    const names = [
      'session-conflict-successor-of-forced',
      'quota-exceeded-no-pod',
      'disk-full-worker-cannot-write-diag',
      'r002-orphan-reaper-log-and-journal',
    ]
    for (const [index, name] of sampled(names, 4).entries()) {
      const original = await readKnownFiles(known(name))
      for (let first = 0; first < SHAPES.length; first += 5) {
        const target = join(root, `${index}-${first}.tar.gz`)
        await writeAll(target, plantSecrets(original, { next: turn(first), cutAt: null }))
        const tar = gunzipSync(await readFile(target)).toString('utf8')
        expect(tar).toContain('‹redacted:')
        leaks.push(...describeSeen(`${name} from ${first}`, tar))
      }
    }
    expect(brief(leaks)).toEqual([])
  })

  it('holds no secret in the names of its files or of its subject', async () => {
    const [token] = SHAPES
    const secret = token?.line.split(' ')[1] ?? ''
    const original = await readKnownFiles(known('force-deleted'))
    const target = join(root, 'names')
    await writeAll(target, renameEverywhere(original, 'ads-4vcpu-n8qcd-runner-w3k7v', `ads-${secret}`))
    const paths = (await readdir(target, { recursive: true })).join('\n')
    const meta = await readFile(join(target, 'meta.json'), 'utf8')
    expect([...describeSeen('a path', paths), ...describeSeen('meta.json', meta)]).toEqual([])
  })
})

function buildMeta(files: Files): BundleMeta {
  const reading = parseMeta(Buffer.from(files.get('meta.json') ?? []).toString('utf8'))
  if (reading.kind === 'unreadable') throw new Error(reading.why)
  return reading.meta
}
