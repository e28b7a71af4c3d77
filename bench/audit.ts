import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { makeAuditBundle } from './audit-bundle.ts'
import type { AuditBundle } from './audit-bundle.ts'
import { SIZES, isBusy } from './audit-rows.ts'
import { askJq, jqVersion } from './jq.ts'
import type { JqAnswer } from './jq.ts'
import { median } from './measured.ts'
import type { Row, Section } from './measured.ts'
import { runChild } from './run-child.ts'
import type { ChildRun } from './run-child.ts'

const ROUNDS = 3
const signalbox = path.resolve(import.meta.dirname, '..', 'bin', 'signalbox')
/** Nothing found, something found, not enough seen: an answer in each case. */
const ANSWERED = [0, 1, 3]

type Contestant = { readonly name: string; readonly run: () => ChildRun | Promise<ChildRun> }

/** A large fleet audited, beside jq that answers one of the questions on two of the same files. */
export async function audit(): Promise<Section> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-audit-'))
  try {
    console.error('writing a fleet of 50,000 pods')
    const bundle = await makeAuditBundle(folder)
    const ours = (what: string, ...ids: readonly string[]): Contestant => ({
      name: what,
      run: () => checked(runChild(signalbox, ['audit', ...ids, '--bundle', folder, '-o', 'json'], ANSWERED)),
    })
    const version = jqVersion()
    const peer = version === null ? [] : [{ name: `${version}, one question`, run: () => askedJq(bundle) }]
    const runs = await hold([ours('signalbox audit, all of them'), ours('signalbox audit burst', 'burst'), ...peer])
    return { title: describeBundle(bundle), rows: [...toRows(runs), ...(version === null ? [MISSING] : [])] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const MISSING: Row = { what: 'jq', value: 'missing', note: 'NOT COMPARED; to compare with it: apt-get install jq' }

function describeBundle({ bytes }: AuditBundle): string {
  const { pods, runners, nodes, events } = SIZES
  return `A fleet of ${pods} pods (${(bytes / 1e6).toFixed(0)} MB), ${runners} runners, ${nodes} nodes, ${events} events, median of ${ROUNDS}`
}

/** In turns, so that a busy moment hits all of them alike. */
async function hold(contestants: readonly Contestant[]): Promise<ReadonlyMap<string, readonly ChildRun[]>> {
  const runs = new Map(contestants.map(({ name }) => [name, [] as ChildRun[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, run } of contestants) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${name}`)
      runs.get(name)?.push(await run())
    }
  }
  return runs
}

function toRows(runs: ReadonlyMap<string, readonly ChildRun[]>): readonly Row[] {
  const medians = [...runs].map(([what, own]) => ({
    what,
    seconds: median(own.map(({ seconds }) => seconds)),
    megabytes: median(own.map(({ megabytes }) => megabytes)),
  }))
  const peer = medians.find(({ what }) => what.startsWith('jq'))
  return medians.map(({ what, seconds, megabytes }) => {
    const ratio =
      peer === undefined || peer.what === what
        ? ''
        : `, ${(peer.seconds / seconds).toFixed(2)} × as fast as jq (goal: 1)`
    return { what, value: `${seconds.toFixed(2)} s`, note: `${megabytes.toFixed(0)} MB at its peak${ratio}` }
  })
}

/** An audit that saw nothing would be fast. */
function checked(run: ChildRun): ChildRun {
  const { audits } = JSON.parse(run.stdout) as {
    readonly audits: readonly { readonly sources: readonly { readonly name: string; readonly rows?: number }[] }[]
  }
  const pods = audits.flatMap(({ sources }) => sources).find(({ name }) => name === 'kubernetes/pods')
  if (pods?.rows !== SIZES.pods) throw new Error(`the audit read ${pods?.rows} of ${SIZES.pods} pods`)
  return run
}

async function askedJq({ pods, runners }: AuditBundle): Promise<ChildRun> {
  const run = await askJq(pods, runners)
  const { jobless } = JSON.parse(run.stdout) as JqAnswer
  const counted = Object.values(jobless).reduce((sum, count) => sum + count, 0)
  const expected = Array.from({ length: SIZES.runners }, (_, index) => index).filter((index) => !isBusy(index)).length
  if (counted !== expected) throw new Error(`jq counts ${counted} runners without a job, not ${expected}`)
  return run
}
