import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import type { Bundle, BundleLimits } from '#/ports/bundle.ts'
import { SOURCE_CASES } from './bundle-sources.ts'

export type Files = Readonly<Record<string, string | Uint8Array>>
/** Puts files into the folder in the way that is under test, and returns the path to open. */
export type MakeBundle = (folder: string, files: Files) => Promise<string>

export const signal = new AbortController().signal

export function metaWith(sources: Readonly<Record<string, unknown>>, rest: object = {}): string {
  return JSON.stringify({ schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z', subject: {}, sources, ...rest })
}

/** What every kind of bundle must do. */
export function bundleContract(name: string, make: MakeBundle): void {
  describe(`The bundle contract: ${name}`, () => {
    let root: string
    let count = 0
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'signalbox-bundle-contract-'))
    })
    afterAll(() => rm(root, { recursive: true }))

    const open = async (files: Files, limits: BundleLimits = BUNDLE_LIMITS) => {
      count += 1
      return openBundle(await make(join(root, String(count)), files), limits, signal)
    }
    const use = async <T>(
      files: Files,
      ask: (bundle: Bundle) => T | Promise<T>,
      limits = BUNDLE_LIMITS,
    ): Promise<T> => {
      const opening = await open(files, limits)
      if (opening.kind === 'refused') throw new Error(opening.why)
      await using bundle = opening.bundle
      return await ask(bundle)
    }

    const looked = (source: string): Files => ({ 'meta.json': metaWith({ [source]: { ok: true } }) })

    it.each(SOURCE_CASES)('sees $path, even if meta.json does not name it', async ({ source, path, full, read }) => {
      expect(await use({ ...looked(source), [path]: full }, read)).toMatchObject({ kind: 'seen' })
      expect(await use({ 'meta.json': metaWith({}), [path]: full }, read)).toMatchObject({ kind: 'seen' })
    })

    it.each(SOURCE_CASES)('is blind for $path if meta.json says so, even if the file exists', async (given) => {
      const meta = metaWith({ [given.source]: { ok: false, reason: '403: no right to list it' } })
      const reason = { code: 'forbidden', detail: '403: no right to list it' }
      expect(await use({ 'meta.json': meta, [given.path]: given.full }, given.read)).toEqual({ kind: 'blind', reason })
      expect(await use({ 'meta.json': meta }, given.read)).toEqual({ kind: 'blind', reason })
    })

    it('is blind for a source without a file, whatever meta.json says', async () => {
      const sources = Object.fromEntries(SOURCE_CASES.map(({ source }) => [source, { ok: true }]))
      for (const meta of [metaWith(sources), metaWith({})]) {
        const answers = await use({ 'meta.json': meta }, (bundle) =>
          Promise.all(SOURCE_CASES.map(async ({ read }) => await read(bundle))),
        )
        for (const answer of answers) expect(answer).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
      }
    })

    it.each(SOURCE_CASES.filter(({ empty }) => empty !== null))('says "none" if $path is empty', async (given) => {
      expect(await use({ ...looked(given.source), [given.path]: given.empty ?? '' }, given.read)).toEqual({
        kind: 'none',
      })
    })

    it.each(SOURCE_CASES.filter(({ truncated }) => truncated !== null))(
      'reads $path neither as complete nor as empty if a part is missing',
      async ({ source, path, truncated, read }) => {
        const observed = await use({ ...looked(source), [path]: truncated ?? '' }, read)
        if (observed.kind === 'seen') expect(observed.value).toMatchObject({ gaps: [{ code: 'truncated' }] })
        else expect(['truncated', 'malformed']).toContain(observed.kind === 'blind' && observed.reason.code)
      },
    )

    it.each(SOURCE_CASES.filter(({ malformed }) => malformed !== null))(
      'says what is wrong if $path has another format',
      async ({ source, path, malformed, read }) => {
        const observed = await use({ ...looked(source), [path]: malformed ?? '' }, read)
        expect(observed).toMatchObject({ kind: 'blind', reason: { code: 'malformed' } })
        expect(observed.kind === 'blind' && observed.reason.detail).toMatch(/./)
      },
    )

    it('is blind for files over the limit, and reads the others', async () => {
      const large = Object.fromEntries(SOURCE_CASES.map(({ path, full }) => [path, full.padEnd(5000)]))
      const files = { ...large, 'meta.json': metaWith({}), 'host/small/df': 'x' }
      const limits = { ...BUNDLE_LIMITS, fileBytes: 4096 }
      const read = async (bundle: Bundle) => [
        await bundle.hostFile('small', 'df'),
        ...(await Promise.all(SOURCE_CASES.map(async (given) => await given.read(bundle)))),
      ]
      const [small, ...others] = await use(files, read, limits)
      expect(small).toEqual({ kind: 'seen', value: 'x' })
      for (const other of others) expect(other).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
    })

    it('prefers the longer name of a source to the shorter one', async () => {
      const log = { namespace: 'a', pod: 'b', container: 'c', previous: false }
      const meta = metaWith({
        logs: { ok: false, reason: 'off' },
        'logs/a/b': { ok: true },
        'logs/a/b/d': { ok: false },
      })
      const files = { 'meta.json': meta, 'logs/a/b/c.log': 'x', 'logs/a/b/d.log': 'x', 'logs/a/e/c.log': 'x' }
      expect(await use(files, (bundle) => bundle.log(log))).toMatchObject({ kind: 'seen' })
      expect(await use(files, (bundle) => bundle.log({ ...log, container: 'd' }))).toMatchObject({ kind: 'blind' })
      expect(await use(files, (bundle) => bundle.log({ ...log, pod: 'e' }))).toMatchObject({ kind: 'blind' })
      expect(await use(files, (bundle) => bundle.logs())).toEqual({ kind: 'seen', value: [log] })
    })

    it('distinguishes seen, none and blind', async () => {
      const files = { 'journal/n.jsonl': '', 'journal/n.log': '', 'host/h/df': 'x', 'github/jobs/7.json': '{}' }
      const meta = metaWith({ logs: { ok: true }, 'github/runs': { ok: true } })
      await use({ 'meta.json': meta, ...files }, (bundle) => {
        expect(bundle.journals()).toEqual({ kind: 'seen', value: ['n'] })
        expect(bundle.hosts()).toEqual({ kind: 'seen', value: ['h'] })
        expect(bundle.githubJobs()).toEqual({ kind: 'seen', value: [7] })
        expect(bundle.logs()).toEqual({ kind: 'none' })
      })
      expect(await use({ 'meta.json': metaWith({}) }, (bundle) => bundle.logs())).toMatchObject({ kind: 'blind' })
    })

    it('returns the time that a source covers, and none for a blind source', async () => {
      const journal = { ok: true, from: '2026-06-06T21:00:00Z', to: '2026-06-06T23:30:00+02:00', reason: 'a remark' }
      await use({ 'meta.json': metaWith({ journal, cgroup: { ok: false } }) }, (bundle) => {
        const coverage = { from: Date.UTC(2026, 5, 6, 21), to: Date.UTC(2026, 5, 6, 21, 30), remark: 'a remark' }
        expect(bundle.coverage('journal/node-1')).toEqual(coverage)
        expect(bundle.coverage('cgroup')).toBeNull()
        expect(bundle.coverage('kubernetes/pods')).toBeNull()
      })
    })

    it('prefers the JSON of a journal to the text, and reads the text if the JSON is unreadable', async () => {
      const text = '2026-11-15T20:38:00Z n k: from text\n'
      const json = `${JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'from json' })}\n`
      const files = { 'meta.json': metaWith({}), 'journal/n.log': text, 'journal/n.jsonl': json }
      const first = (bundle: Bundle) => bundle.journal('n', {})
      expect(await use(files, first)).toMatchObject({ value: { lines: [{ message: 'from json' }] } })
      expect(await use({ ...files, 'journal/n.jsonl': '<html>' }, first)).toMatchObject({
        value: { lines: [{ message: 'from text' }] },
      })
    })

    it('keeps the cgroups of the runner, of a container and of the pod apart', async () => {
      const files = { 'meta.json': metaWith({}), 'cgroup/a/b/pids.max': '1', 'cgroup/a/b/_pod/pids.max': '2' }
      const read = (container: string | null) =>
        use(files, (bundle) => bundle.cgroup({ namespace: 'a', pod: 'b', container }))
      expect(await read(null)).toEqual({ kind: 'seen', value: new Map([['pids.max', '1']]) })
      expect(await read('_pod')).toEqual({ kind: 'seen', value: new Map([['pids.max', '2']]) })
      expect(await read('runner')).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
    })

    it('accepts byte order marks, CRLF and the UTF-16 of PowerShell', async () => {
      const list = '{\r\n"items":[{"metadata":{"name":"a"}}]}\r\n'
      const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(list, 'utf16le')])
      const files = {
        'meta.json': `\uFEFF${metaWith({})}`,
        'kubernetes/pods.json': `\uFEFF${list}`,
        'kubernetes/nodes.json': utf16,
      }
      await use(files, async (bundle) => {
        expect(await bundle.list('pods')).toMatchObject({ kind: 'seen' })
        expect(await bundle.list('nodes')).toMatchObject({ kind: 'seen' })
      })
    })

    it.each([
      ['no meta.json', {}, 'no meta.json'],
      ['a meta.json that is HTML', { 'meta.json': '<html>' }, "Unexpected token '<'"],
      ['a newer schema', { 'meta.json': metaWith({}, { schemaVersion: 2 }) }, 'schemaVersion'],
      ['no time', { 'meta.json': metaWith({}, { collectedAt: 'today' }) }, 'collectedAt'],
      ['a wrong subject', { 'meta.json': metaWith({}, { subject: { jobId: [] } }) }, 'subject'],
    ])('refuses %s with a reason', async (_, files: Files, why) => {
      const opening = await open({ 'fleet.yaml': 'a: 1', ...files })
      expect(opening).toMatchObject({ kind: 'refused' })
      expect(opening.kind === 'refused' && opening.why).toContain(why)
    })

    it('refuses more files or bytes than allowed', async () => {
      const files = { 'meta.json': metaWith({}), a: 'x'.repeat(5000), b: 'x' }
      expect(await open(files, { ...BUNDLE_LIMITS, files: 2 })).toMatchObject({ kind: 'refused' })
      expect(await open(files, { ...BUNDLE_LIMITS, totalBytes: 4096 })).toMatchObject({ kind: 'refused' })
      expect(await use(files, (bundle) => bundle.paths)).toEqual(['a', 'b', 'meta.json'])
    })
  })
}
