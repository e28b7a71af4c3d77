import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { SIGNATURES } from '#/signatures/index.ts'
import { median } from './measured.ts'
import type { Row, Section } from './measured.ts'
import { countByRipgrep, forRipgrep, ripgrepVersion } from './ripgrep.ts'
import { runChild } from './run-child.ts'
import { makeLogs } from './scan-logs.ts'

const ROUNDS = 3
const LOG_BYTES = 120_000_000
const PATTERNS = SIGNATURES.flatMap((signature) => signature.patterns)

/** Counts the lines of a log that match a signature. */
type Scanner = { readonly name: string; readonly count: (log: string) => number }

const ours: Scanner = {
  name: 'signalbox',
  count: (log) => Number(runChild(process.execPath, [fileURLToPath(import.meta.resolve('./scan-log.ts')), log]).stdout),
}

/** Our search of a log for everything that we know beside ripgrep's with the same patterns, each on one thread. */
export async function scan(): Promise<Section> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-scan-'))
  try {
    const logs = await makeLogs(folder, LOG_BYTES)
    const peer = ripgrepIn(folder)
    const scanners = peer === null ? [ours] : [ours, peer.scanner]
    return {
      title: `A log of ${LOG_BYTES / 1e6} MB searched for ${PATTERNS.length} patterns, one thread, median of ${ROUNDS}`,
      rows: [...logs.flatMap(({ what, file }) => race(what, file, scanners)), peer?.remark ?? MISSING],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const MISSING: Row = { what: 'ripgrep', value: 'missing', note: 'to compare with it: apt-get install ripgrep' }

function ripgrepIn(folder: string): { readonly scanner: Scanner; readonly remark: Row } | null {
  const version = ripgrepVersion()
  if (version === null) return null
  const translated = forRipgrep(PATTERNS)
  const file = path.join(folder, 'patterns')
  writeFileSync(file, `${translated.join('\n')}\n`)
  return {
    scanner: { name: version, count: (log) => countByRipgrep(file, log) },
    remark: { what: 'patterns that ripgrep cannot have', value: String(PATTERNS.length - translated.length), note: '' },
  }
}

/** In turns, so that a busy moment hits both alike. What a start costs is taken off, because it is not the search. */
function race(what: string, log: string, scanners: readonly Scanner[]): readonly Row[] {
  const empty = `${log}.empty`
  writeFileSync(empty, '')
  const times = scanners.map((): number[] => [])
  const found = scanners.map(() => 0)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { name, count }] of scanners.entries()) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${name}, ${what}`)
      const start = timed(() => count(empty))
      const whole = timed(() => count(log))
      times[index]?.push(whole.ms - start.ms)
      found[index] = whole.result
    }
  }
  const speeds = times.map((values) => statSync(log).size / 1000 / median(values))
  return scanners.map(({ name }, index) => {
    const speed = speeds[index] ?? Number.NaN
    const ratio = index === 0 ? '' : `; ours is ${((speeds[0] ?? Number.NaN) / speed).toFixed(2)} × as fast`
    return { what: `${what}: ${name}`, value: `${speed.toFixed(0)} MB/s`, note: `${found[index]} lines${ratio}` }
  })
}

function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const start = performance.now()
  const result = work()
  return { ms: performance.now() - start, result }
}
