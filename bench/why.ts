import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { median } from './measured.ts'
import type { Row, Section } from './measured.ts'
import type { JournalRun } from './read-journal.ts'
import { runChild } from './run-child.ts'
import type { ChildRun } from './run-child.ts'
import { JOURNAL_BYTES, makeWhyBundles } from './why-bundles.ts'
import type { WhyBundle } from './why-bundles.ts'

const ROUNDS = 3
const signalbox = path.resolve(import.meta.dirname, '..', 'bin', 'signalbox')
const readJournal = fileURLToPath(import.meta.resolve('./read-journal.ts'))

/** One death, judged from evidence of different sizes; and the largest piece of it, read alone. */
export async function why(): Promise<readonly Section[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-why-'))
  try {
    const bundles = await makeWhyBundles(folder)
    const large = bundles.filter(({ hasLargeJournal }) => hasLargeJournal)
    return [
      {
        title: `The journal of 200 MB alone, for all that a signature knows and for one pod, median of ${ROUNDS}`,
        rows: measure(large, (bundle) => runChild(process.execPath, [readJournal, bundle]), journalRow),
      },
      {
        title: `signalbox why --bundle, a recorded death with larger evidence, median of ${ROUNDS}`,
        rows: measure(bundles, (bundle) => runChild(signalbox, ['why', '--bundle', bundle]), whyRow),
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** In turns, so that a busy moment hits all of them alike. */
function measure(
  bundles: readonly WhyBundle[],
  run: (bundle: string) => ChildRun,
  toRow: (what: string, runs: readonly ChildRun[]) => Row,
): readonly Row[] {
  const runs = bundles.map((): ChildRun[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { what, path: bundle }] of bundles.entries()) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${what}`)
      runs[index]?.push(run(bundle))
    }
  }
  return bundles.map(({ what }, index) => toRow(what, runs[index] ?? []))
}

function whyRow(what: string, runs: readonly ChildRun[]): Row {
  const seconds = median(runs.map((run) => run.seconds))
  const megabytes = median(runs.map((run) => run.megabytes))
  return { what, value: `${seconds.toFixed(2)} s`, note: `${megabytes.toFixed(0)} MB at its peak` }
}

/** The speed of the reading, after the bundle is open. */
function journalRow(what: string, runs: readonly ChildRun[]): Row {
  const parsed = runs.map(({ stdout }) => JSON.parse(stdout) as JournalRun)
  const speed = JOURNAL_BYTES / 1e6 / median(parsed.map(({ seconds }) => seconds))
  const growth = median(runs.map(({ megabytes }, index) => megabytes - (parsed[index]?.megabytesBefore ?? Number.NaN)))
  const kept = parsed.map((run) => `${run.kept} of ${run.lines} lines kept`)[0] ?? ''
  return { what, value: `${speed.toFixed(0)} MB/s`, note: `${growth.toFixed(0)} MB more memory, ${kept}` }
}
