import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readAround } from './read-around.ts'
import type { AroundQuery } from './read-around.ts'

const never = new AbortController().signal
const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const AT = 1_800_000_000_000
const HOUR = 3_600_000

const line = (at: number, message: string, identifier: string): string =>
  JSON.stringify({ __REALTIME_TIMESTAMP: String(at * 1000), SYSLOG_IDENTIFIER: identifier, MESSAGE: message })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-around-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Prints the file from its end, as `--reverse` does; the first line is asked for by its fields. */
async function imitate(name: string, lines: readonly string[], last = ''): Promise<string> {
  const [file, program] = [join(folder, `${name}.jsonl`), join(folder, name)]
  await writeFile(file, lines.map((one) => `${one}\n`).join(''))
  const script = `case "$*" in *output-fields*) head -n 1 '${file}';; *--reverse*) tac '${file}';; *) exit 1;; esac`
  await writeFile(program, `#!/bin/sh\n${script}\n${last}\n`)
  await chmod(program, 0o755)
  return program
}

async function read(program: string, more: Partial<AroundQuery> & { maxBytes?: number } = {}, signal = never) {
  const { maxBytes = 1_000_000, ...query } = more
  const place = { program, directory: null, namespace: null, maxBytes }
  const deaths = [{ uid: UID, containerIds: [], at: AT }]
  const answer = await readAround(place, { since: AT - HOUR, until: null, deaths, now: AT, ...query }, signal)
  if (answer.kind === 'blind') throw new Error(answer.reason.detail)
  return { ...answer, text: answer.bytes.toString() }
}

describe('a journal that is read around deaths', () => {
  it('is the whole window in its order where it fits', async () => {
    const lines = [line(AT - 2 * HOUR, 'old', 'cron'), line(AT - 1000, 'a', 'cron'), line(AT, 'b', 'kubelet')]
    const { text, from, newest, around, gaps } = await read(await imitate('small', lines))
    expect(text).toBe(lines.map((one) => `${one}\n`).join(''))
    expect({ from, newest, around, gaps }).toEqual({ from: AT - HOUR, newest: AT, around: null, gaps: [] })
  })

  it('is never cut at its end, nor refused: an hour of 13 MB keeps what matters, and says what does not', async () => {
    const kubelet = Array.from({ length: 3600 }, (_, second) => line(AT - second * 1000, 'k'.repeat(900), 'kubelet'))
    const others = Array.from({ length: 9000 }, (_, part) => line(AT - part * 400, 'c'.repeat(900), 'runner-app'))
    const naming = line(AT - HOUR + 1000, `pod ${UID} was scheduled`, 'some-program')
    const lines = [...kubelet, ...others, naming].toSorted((a, b) => timeOf(a) - timeOf(b))
    const { text, from, around, gaps } = await read(await imitate('hour', lines), { maxBytes: 8 * 1024 * 1024 })
    expect(text.split('\n').filter((one) => one.includes('"kubelet"'))).toHaveLength(kubelet.length)
    expect(text).toContain(naming)
    expect(text.trimEnd().endsWith(lines.at(-1) ?? '')).toBe(true)
    expect(text.length).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect({ from, around }).toEqual({ from: timeOf(lines[0] ?? '') / 1000, around: null })
    expect(gaps).toMatchObject([
      { code: 'too-large', detail: expect.stringMatching(/\d{4} lines .* other than kernel, kubelet/) as string },
    ])
  })

  it('is not read further back than there is room for, and the process ends', async () => {
    const lines = Array.from({ length: 3600 }, (_, second) =>
      line(AT - (3600 - second) * 1000, 'k'.repeat(900), 'kubelet'),
    )
    const program = await imitate('full', lines, 'exec sleep 600')
    const { text, from, around, gaps } = await read(program, { maxBytes: 100_000 })
    expect(text.length).toBeGreaterThan(90_000)
    expect(text).toContain(lines.at(-1))
    expect(from).toBeGreaterThan(AT - HOUR)
    expect(around).toBeGreaterThan(90_000)
    expect(gaps.map(({ code }) => code)).toEqual(['truncated', 'truncated'])
  })

  it('is what was read when time runs out', async () => {
    const lines = [line(AT - 2 * HOUR, 'old', 'kubelet'), line(AT - 5000, 'near', 'kubelet')]
    const program = await imitate('slow', lines.slice(0, 1))
    const script = `case "$*" in *output-fields*) echo '${lines[0]}'; exit;; esac\necho '${lines[1]}'; touch '${folder}/printed'; exec sleep 600`
    await writeFile(program, `#!/bin/sh\n${script}\n`)
    const stop = new AbortController()
    const reading = read(program, {}, stop.signal)
    await vi.waitFor(() => access(join(folder, 'printed')), { timeout: 60_000 })
    stop.abort()
    const { text, from, gaps } = await reading
    expect([text, from]).toEqual([`${lines[1]}\n`, AT - 5000])
    expect(gaps).toMatchObject([{ code: 'timeout' }])
  })

  it('leaves out a line of 16 MB, and has the others', async () => {
    const lines = [
      line(AT - 2, 'before', 'kubelet'),
      line(AT - 1, 'x'.repeat(16_000_000), 'kubelet'),
      line(AT, 'after', 'kubelet'),
    ]
    const { text, gaps } = await read(await imitate('long', lines))
    expect(text).toBe(`${lines[0]}\n${lines[2]}\n`)
    expect(gaps).toMatchObject([{ code: 'too-large', detail: expect.stringMatching(/^1 lines/) as string }])
  })
})

function timeOf(text: string): number {
  return Number((JSON.parse(text) as Record<string, string>)['__REALTIME_TIMESTAMP'])
}
