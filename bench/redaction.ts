import { pathToFileURL } from 'node:url'
import path from 'node:path'

import { redact } from '#/adapters/redaction/redact.ts'
import { FORMATS } from '#test/redaction/formats/index.ts'
import { measureRecall } from '#test/redaction/recall.ts'
import { ciLogs } from './ci-logs.ts'
import type { Row, Section } from './measured.ts'

const BYTES = 100_000_000
const HOSTILE_BYTES = 8 * 1024 * 1024

type Redact = (text: string) => string

/** Recall, false positives and speed of redaction. SIGNALBOX_BENCH_BESIDE names another checkout that is measured beside. */
export async function redaction(): Promise<Section> {
  const beside = process.env['SIGNALBOX_BENCH_BESIDE']
  const bytes = Number(process.env['SIGNALBOX_BENCH_BYTES'] ?? BYTES)
  const files = (process.env['SIGNALBOX_BENCH_LOGS'] ?? '').split(' ').filter((file) => file !== '')
  const measured = [{ name: 'this checkout', redact }]
  if (beside !== undefined) measured.unshift({ name: path.basename(beside), redact: await redactOf(beside) })
  const rows = measured.flatMap((one) => [...recallRows(one.name, one.redact), ...hostileRows(one.name, one.redact)])
  return { title: 'Redaction', rows: [...rows, ...logRows(measured, bytes, files)] }
}

async function redactOf(checkout: string): Promise<Redact> {
  const module = pathToFileURL(path.resolve(checkout, 'src/adapters/redaction/redact.ts')).href
  return ((await import(module)) as { readonly redact: Redact }).redact
}

function recallRows(name: string, redactWith: Redact): readonly Row[] {
  return (['neutral', 'named'] as const).map((kind) => {
    const { tried, misses } = measureRecall(FORMATS, redactWith, kind)
    const share = ((1 - misses.length / tried) * 100).toFixed(1)
    const formats = new Set(misses.map(({ format }) => format)).size
    return { what: `recall, ${kind}: ${name}`, value: `${share} %`, note: `${tried} tried; ${formats} formats missed` }
  })
}

function hostileRows(name: string, redactWith: Redact): readonly Row[] {
  return HOSTILE.map(([what, piece]) => {
    const text = piece.repeat(Math.ceil(HOSTILE_BYTES / piece.length))
    return { what: `8 MiB of ${what}: ${name}`, value: cpuOrFault(() => redactWith(text)), note: 'CPU time' }
  })
}

const HOSTILE = [
  ['one line of base64', 'aB3/'],
  ['"key=" on lines', `${'key='.repeat(2000)}\n`],
  ['"A_TOKEN=" on lines', `${'A_TOKEN= '.repeat(1000)}\n`],
  ['"eyJ-" on lines', `${'eyJ-'.repeat(2000)}\n`],
  ['base64 on lines', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF\n'],
] as const

function cpuOrFault(work: () => void): string {
  const before = process.cpuUsage()
  try {
    work()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return `${(spentSeconds(before) * 1000).toFixed(0)} ms`
}

function spentSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

type Tally = { seconds: number; changed: number; marks: Map<string, number> }

/** In turns on the same pieces, so that a busy moment hits all alike. */
function logRows(
  measured: readonly { readonly name: string; readonly redact: Redact }[],
  bytes: number,
  files: readonly string[],
): readonly Row[] {
  const tallies = measured.map((): Tally => ({ seconds: 0, changed: 0, marks: new Map() }))
  let read = 0
  for (const piece of ciLogs(bytes, files)) {
    read += piece.length
    for (const [index, tally] of tallies.entries()) {
      const before = process.cpuUsage()
      const redacted = measured[index]?.redact(piece) ?? piece
      tally.seconds += spentSeconds(before)
      if (redacted !== piece) count(tally, piece, redacted)
    }
  }
  return measured.map(({ name }, index) => {
    const { seconds, changed, marks } = tallies[index] ?? { seconds: Number.NaN, changed: 0, marks: new Map() }
    const kinds = [...marks].map(([kind, times]) => `${kind} ${times}`).join(', ')
    const note = `${(read / 1e6).toFixed(0)} MB of CI logs, ${changed} lines changed: ${kinds}`
    return { what: `speed: ${name}`, value: `${(read / 1e6 / seconds).toFixed(1)} MB/s`, note }
  })
}

function count(tally: Tally, piece: string, redacted: string): void {
  const after = redacted.split('\n')
  for (const [index, line] of piece.split('\n').entries()) {
    if (line === after[index]) continue
    tally.changed += 1
    for (const [, kind = ''] of (after[index] ?? '').matchAll(/‹redacted:([a-z0-9-]+)›/g))
      tally.marks.set(kind, (tally.marks.get(kind) ?? 0) + 1)
    const shown = process.env['SIGNALBOX_BENCH_SHOW']
    if (shown !== undefined && tally.changed <= Number(shown))
      console.error(`${line.slice(0, 300)}\n  ${after[index]?.slice(0, 300)}`)
  }
}
