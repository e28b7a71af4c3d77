import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listAt } from '#/core/basics/fields.ts'
import { serveDocuments, toList } from '#test/cli/answering-cluster.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { readFleetFiles, readText } from '#test/fleets/fleet-files.ts'

const ZOMBIE = path.resolve(import.meta.dirname, '..', 'fleets', 'arc', '0.14.2-zombie-after-pod-delete.tar.gz')
const GROUPS = {
  kind: 'APIGroupList',
  groups: ['actions.github.com', 'apps'].map((name) => {
    const version = name === 'apps' ? 'v1' : 'v1alpha1'
    return { name, versions: [{ version }], preferredVersion: { version } }
  }),
}

type Answer = {
  readonly candidates: readonly {
    readonly subject: { readonly name: string }
    readonly decision: string
    readonly decidedBy: string
    readonly gates: readonly { readonly gate: string; readonly holds: boolean | null; readonly ageSeconds: number }[]
  }[]
}

/** The lists of a recording, from an API server; logs and everything else are not found. */
async function serveZombie() {
  const files = await readFleetFiles(ZOMBIE)
  const cluster = await serveDocuments('arc-runners', (at) => {
    if (at === '/apis') return GROUPS
    const name = `kubernetes/${at.split('/').at(-1) ?? ''}.json`
    // An old recording, whatever the clock of this machine says.
    const text = readText(files, name).replaceAll('2026-11-15T', '2020-11-15T')
    return text === '' ? undefined : toList(listAt(JSON.parse(text), 'items') as readonly object[])
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-reap-live-'))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true })
    await cluster[Symbol.asyncDispose]()
  })
  const runners = path.join(folder, 'runners.json')
  const rows = JSON.parse(readText(files, 'github/runners.json')) as { readonly runners?: unknown }
  return {
    runners,
    save: (ageMs: number) => {
      const saved = { runners: rows.runners ?? rows, collectedAt: new Date(Date.now() - ageMs).toISOString() }
      writeFileSync(runners, JSON.stringify(saved))
    },
    reap: async (...args: readonly string[]) => {
      const ran = await runInProcess(['reap', ...args, '--kubeconfig', cluster.kubeconfig, '-o', 'json'])
      return { ...ran, answer: JSON.parse(ran.stdout) as Answer }
    },
  }
}

describe('signalbox reap on a live fleet', () => {
  it('is a dry run with a list of GitHub from a file, whose age it shows', async () => {
    const { reap, save, runners } = await serveZombie()
    save(120_000)
    const { code, answer } = await reap('--policy', 'offline', '--github-runners-json', runners)
    expect(code).toBe(4)
    expect(answer.candidates).toMatchObject([
      { subject: { name: 'release-c585j-runner-gv2n9' }, decision: 'refused', decidedBy: 'no-job-on-record' },
    ])
    const gate = answer.candidates[0]?.gates.find((one) => one.gate === 'github-not-busy')
    expect(gate?.holds).toBe(false)
    expect(gate?.ageSeconds).toBeGreaterThanOrEqual(115)
  })

  it('has no candidates by an old list, and says why', async () => {
    const { reap, save, runners } = await serveZombie()
    save(3_600_000)
    const { code, answer, stdout } = await reap('--policy', 'offline', '--github-runners-json', runners)
    expect([code, answer.candidates]).toEqual([3, []])
    expect(stdout).toMatch(/the file is 1h\w* old, and githubFileAge is 10m/)
  })

  it('has no candidates without GitHub', async () => {
    const { reap } = await serveZombie()
    const { code, answer } = await reap('--policy', 'offline')
    expect([code, answer.candidates]).toEqual([3, []])
  })
})
