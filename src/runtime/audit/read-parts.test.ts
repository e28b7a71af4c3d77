import { describe, expect, it } from 'vitest'
import type { Bundle } from '#/ports/bundle.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { openFiles } from '#test/bundles/mutate-judge.ts'
import { toExcerpt, readExcerpts } from './read-excerpts.ts'
import { readHosts } from './read-hosts.ts'
import { readJobLogs } from './read-job-logs.ts'

function buildBundle(files: Readonly<Record<string, string>>, sources: Readonly<Record<string, unknown>> = {}): Bundle {
  const meta = { schemaVersion: 1, collectedAt: '2026-06-01T12:00:00Z', subject: {}, sources }
  const all: Files = new Map(
    Object.entries({ ...files, 'meta.json': JSON.stringify(meta) }).map(([name, text]) => [name, Buffer.from(text)]),
  )
  const bundle = openFiles(all)
  if ('why' in bundle) throw new Error(bundle.why)
  return bundle
}

const LINE = '2026-06-01T11:59:00Z level=INFO msg="Getting next message"\n'
const CUT = '2026-06-01T11:59:30Z level=INFO msg="Getting n'

describe('the logs of a fleet', () => {
  it('that are complete have no gap and no remark', async () => {
    const reading = await readExcerpts(buildBundle({ 'logs/a/p/c.log': LINE }), ['Getting'])
    expect(reading).toMatchObject({ gaps: [], remark: null })
    expect(reading.logs).toMatchObject({ value: [{ pod: 'p', lastAt: Date.parse('2026-06-01T11:59:00Z') }] })
  })

  it('with a truncated one have a gap, and the truncated one has no last time', async () => {
    const reading = await readExcerpts(buildBundle({ 'logs/a/p/c.log': LINE + CUT, 'logs/a/q/c.log': LINE }), [
      'Getting',
    ])
    expect(reading.gaps).toMatchObject([{ source: 'logs/a/p/c', reason: { code: 'truncated' } }])
    expect(reading.logs).toMatchObject({
      value: [
        { pod: 'p', lastAt: null },
        { pod: 'q', lines: [{}] },
      ],
    })
    expect(reading.logs).toMatchObject({ value: [{ lines: [{}, {}] }, {}] })
  })

  it('without a final newline get a remark, because nothing may be missing', async () => {
    const reading = await readExcerpts(buildBundle({ 'logs/a/p/c.log': LINE.trimEnd(), 'logs/a/q/c.log': LINE }), [])
    expect(reading).toMatchObject({ gaps: [], remark: '1 of 2 end without a newline' })
    expect(reading.logs).toMatchObject({ value: [{ lastAt: Date.parse('2026-06-01T11:59:00Z') }, {}] })
  })

  it('that all could not be read are blind', async () => {
    const reading = await readExcerpts(
      buildBundle({ 'logs/a/p/c.log': LINE }, { logs: { ok: false, reason: '403' } }),
      [],
    )
    expect(reading.logs).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('keep the last vitals line beside the others, which it cannot displace', () => {
    const name = { namespace: 'a', pod: 'p', container: 'c', previous: false }
    const vitals = (second: number) =>
      `2026-06-01T11:59:0${second}Z signalbox-vitals 1 time=2026-06-01T11:59:0${second}Z\n`
    const excerpt = toExcerpt(name, `${LINE}${vitals(1).repeat(5000)}${vitals(2)}`, ['Getting'])
    expect(excerpt.lines).toHaveLength(1)
    expect(excerpt.vitals?.text).toBe('signalbox-vitals 1 time=2026-06-01T11:59:02Z')
    expect(toExcerpt(name, LINE, ['Getting']).vitals).toBe(null)
  })

  it('read the last time of a long log from its end', () => {
    const name = { namespace: 'a', pod: 'p', container: 'c', previous: false }
    const text = `${LINE.repeat(5000)}${LINE.replace('11:59:00', '11:59:59')}no time\n`
    expect(toExcerpt(name, text, ['Getting'])).toMatchObject({ lastAt: Date.parse('2026-06-01T11:59:59Z') })
  })
})

describe('the logs of jobs', () => {
  it('with a truncated one have a gap', async () => {
    const reading = await readJobLogs(buildBundle({ 'github/logs/7.log': LINE + CUT, 'github/logs/8.log': LINE }), [])
    expect(reading).toMatchObject({ jobLogs: { kind: 'seen' }, gaps: [{ source: 'github/logs/7' }], remark: null })
  })
})

describe('the files of hosts', () => {
  it('that are well-formed are kept', async () => {
    const reading = await readHosts(buildBundle({ 'host/n/proc/sys/fs/file-nr': '1 0 9\n', 'host/n/other': 'x' }))
    expect(reading).toEqual({
      hosts: { kind: 'seen', value: new Map([['n', new Map([['proc/sys/fs/file-nr', '1 0 9\n']])]]) },
      gaps: [],
    })
  })

  it('with a truncated or empty one are a gap for their host, and that file is left out', async () => {
    const files = { 'host/n/proc/sys/fs/file-nr': '1 0', 'host/n/free-m': '', 'host/m/proc/sys/fs/file-max': '9\n' }
    const { hosts, gaps } = await readHosts(buildBundle(files))
    expect(hosts).toMatchObject({
      value: new Map([
        ['m', new Map([['proc/sys/fs/file-max', '9\n']])],
        ['n', new Map()],
      ]),
    })
    expect(gaps).toEqual([
      {
        source: 'host/n',
        reason: { code: 'malformed', detail: 'proc/sys/fs/file-nr: it is not three numbers; free-m: it is empty' },
      },
    ])
  })

  it.each([
    ['beside others that answered', { 'host/n/proc/sys/fs/file-max': '9\n' }],
    ['and nobody else was asked', {}],
  ])('of a host that could not be read, %s, are a gap', async (_when, files) => {
    const sources = { 'host/m': { ok: false, reason: '403' }, 'host/o': { ok: false, reason: 'not asked' } }
    expect((await readHosts(buildBundle(files, sources))).gaps).toMatchObject([
      { source: 'host/m', reason: { code: 'forbidden' } },
    ])
  })
})
