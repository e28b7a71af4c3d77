import { appendFile, copyFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { auditLogEvent } from '#test/recorder/audit-log-event.ts'
import { FOLLOW_LIMITS, followAuditLogFile } from './audit-log-follower.ts'

const ALL = { namespaces: null, nodes: null, window: { from: 0, to: null } }
const UNSTOPPED = new AbortController().signal

const line = (at: number): string => `${JSON.stringify(auditLogEvent({ at }))}\n`

async function following(limits = FOLLOW_LIMITS) {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-follow-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'audit.log')
  const warned: unknown[] = []
  const log = followAuditLogFile(path, {
    namespaces: null,
    clock: { now: () => 1_000_000 },
    log: { warn: (message, fields) => void warned.push({ message, ...fields }) },
    limits,
  })
  const read = async (signal = UNSTOPPED) => {
    const found = { times: [] as number[], from: null as number | null, blind: null as string | null }
    for await (const event of log.lines(signal, ALL)) {
      if (event.kind === 'blind') found.blind = event.reason.code
      else if (event.kind === 'looking') found.from = event.from
      else found.times.push(Date.parse((JSON.parse(event.text) as { stageTimestamp: string }).stageTimestamp))
    }
    return found
  }
  return { folder, path, read, warned }
}

describe('an audit log that is followed', () => {
  it('returns each line once, and a partial line when it is complete', async () => {
    const { path, read } = await following()
    const whole = line(2000)
    await writeFile(path, line(1000) + whole.slice(0, 50))
    expect(await read()).toEqual({ times: [1000], from: 1000, blind: null })
    await appendFile(path, whole.slice(50) + line(3000))
    expect(await read()).toEqual({ times: [1000, 2000, 3000], from: 1000, blind: null })
    expect((await read()).times).toEqual([1000, 2000, 3000])
  })

  it('returns every line to several readers at once', async () => {
    const { path, read } = await following()
    await writeFile(path, line(1000) + line(2000))
    const all = await Promise.all([read(), read(), read()])
    expect(all.map(({ times }) => times)).toEqual([
      [1000, 2000],
      [1000, 2000],
      [1000, 2000],
    ])
  })

  it('reads only what is new', async () => {
    const { path, read } = await following()
    await writeFile(path, line(1000))
    await read()
    // Another line in the place of the first, beyond the bytes that identify a file: reading it again would return it.
    await writeFile(path, line(1000).replace('1970-01-01T00:00:01.000Z"}', '1970-01-01T00:00:09.000Z"}') + line(2000))
    expect((await read()).times).toEqual([1000, 2000])
  })

  it('continues in the next file after a rotation, and in the one after that', async () => {
    const { folder, path, read } = await following()
    await writeFile(path, line(1000))
    await read()
    await appendFile(path, line(2000))
    await rename(path, join(folder, 'audit-2026-11-16T07-00-00.000.log'))
    await writeFile(join(folder, 'audit-2026-11-16T08-00-00.000.log'), line(3000))
    await writeFile(join(folder, 'audit-2026-11-16T06-00-00.000.log'), line(500))
    await writeFile(path, line(4000))
    expect(await read()).toEqual({ times: [1000, 2000, 3000, 4000], from: 1000, blind: null })
  })

  it('reads the rest of the old file though the new one has no line yet', async () => {
    const { folder, path, read } = await following()
    await writeFile(path, line(1000))
    await read()
    await appendFile(path, line(2000))
    await rename(path, join(folder, 'audit-2026-11-16T07-00-00.000.log'))
    await writeFile(path, '')
    expect((await read()).times).toEqual([1000, 2000])
    await appendFile(path, line(3000))
    expect(await read()).toEqual({ times: [1000, 2000, 3000], from: 1000, blind: null })
  })

  it('continues where logrotate copied and truncated the file', async () => {
    const { path, read } = await following()
    await writeFile(path, line(1000) + line(2000))
    await read()
    await appendFile(path, line(3000))
    await copyFile(path, `${path}.1`)
    await truncate(path)
    await appendFile(path, line(4000))
    expect(await read()).toEqual({ times: [1000, 2000, 3000, 4000], from: 1000, blind: null })
  })

  it('covers only the new file where the old one is gone', async () => {
    const { path, read } = await following()
    await writeFile(path, line(1000))
    await read()
    await rm(path)
    await writeFile(path, line(4000) + line(5000))
    expect(await read()).toEqual({ times: [1000, 4000, 5000], from: 4000, blind: null })
  })

  it('misses nothing of a truncated file', async () => {
    const { path, read } = await following()
    await writeFile(path, line(1000) + line(2000))
    await read()
    await writeFile(path, line(1000) + line(3000))
    await truncate(path, line(1000).length)
    await read()
    await appendFile(path, line(4000))
    expect((await read()).times).toContain(4000)
  })

  it('skips more than it may read, and says from when it covers', async () => {
    const few = 3 * line(1000).length + 10
    const { path, read } = await following({ ...FOLLOW_LIMITS, unreadBytes: few })
    await writeFile(path, [1, 2, 3, 4, 5].map((second) => line(second * 1000)).join(''))
    expect(await read()).toEqual({ times: [3000, 4000, 5000], from: 3000, blind: null })
    await appendFile(path, [6, 7, 8, 9].map((second) => line(second * 1000)).join(''))
    expect(await read()).toEqual({ times: [3000, 4000, 5000, 7000, 8000, 9000], from: 7000, blind: null })
  })

  it('is blind where there is no file, and returns nothing for a file without a line', async () => {
    const { path, read } = await following()
    expect((await read()).blind).toBe('unsupported')
    await writeFile(path, '')
    expect(await read()).toEqual({ times: [], from: null, blind: null })
    expect((await read(AbortSignal.abort())).blind).toBe('stopped')
  })

  it('covers the same with a line of the year 9999, and logs it once', async () => {
    const { path, read, warned } = await following()
    const future = line(Date.parse('9999-12-31T23:59:59Z'))
    await writeFile(path, line(990_000) + future)
    expect(await read()).toMatchObject({ from: 990_000, blind: null })
    await appendFile(path, line(995_000) + future)
    const { times, from } = await read()
    expect([from, times.filter((time) => time < 1_000_000)]).toEqual([990_000, [990_000, 995_000]])
    expect(warned).toMatchObject([{ message: expect.stringContaining('dated in the future') as string, from: path }])
  })

  it('covers from its reading where the first line is of the year 9999', async () => {
    const { path, read } = await following()
    await writeFile(path, line(Date.parse('9999-12-31T23:59:59Z')) + line(999_000))
    expect((await read()).from).toBe(1_000_000)
  })
})
