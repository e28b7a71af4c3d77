import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Files } from '#test/bundles/mutate-files.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { forbidden } from '#test/fleets/blindness-sources.ts'
import { readFleetFiles, withFile } from '#test/fleets/fleet-files.ts'

const fleets = path.resolve(import.meta.dirname, '..', 'fleets')
const fleet = (name: string) => path.join(fleets, `${name}.tar.gz`)
const IDLE = fleet('arc/0.14.2-healthy-idle')
const OFFLINE = fleet('written/runtime-offline-candidates')
const ZOMBIE = fleet('arc/0.14.2-zombie-after-pod-delete')
const WEDGED = fleet('arc/0.14.2-wedged-values-change')
const HANDOFF = fleet('fresh/badger-0.11.0-handoff')

type Answer = {
  readonly schemaVersion: number
  readonly applied: boolean
  readonly policies: readonly string[]
  readonly notJudged: readonly { readonly policy: string; readonly sources: readonly { readonly name: string }[] }[]
  readonly candidates: readonly {
    readonly policy: string
    readonly act: string
    readonly subject: { readonly kind: string; readonly namespace: string; readonly name: string }
    readonly decision: string
    readonly decidedBy: string | null
    readonly atAct: readonly string[]
    readonly removes?: readonly { readonly kind: string; readonly name: string }[]
    readonly gates: readonly {
      readonly gate: string
      readonly holds: boolean | null
      readonly why: string
      readonly ageSeconds: number
    }[]
  }[]
}

async function answered(...args: readonly string[]) {
  const ran = await runInProcess(['reap', ...args, '-o', 'json'])
  return { ...ran, answer: JSON.parse(ran.stdout) as Answer }
}

const decisions = ({ candidates }: Answer) =>
  candidates.map(({ policy, subject, decision, decidedBy }) => [policy, subject.name, decision, decidedBy])

async function written(archive: string, change: (files: Files) => Files): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-reap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, bytes] of change(await readFleetFiles(archive))) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(folder, name), bytes)
  }
  return folder
}

const LISTENER = '1 0 900 /bin/bash /home/runner/run.sh\n18 1 899 /home/runner/bin/Runner.Listener run\n'
const withProcesses =
  (pod: string, text = LISTENER) =>
  (files: Files) =>
    withFile(files, `processes/arc-runners/${pod}.txt`, text)

describe('signalbox reap', () => {
  it('prints JSON as in docs/contracts/acting.md, and exits with 0 if nothing was refused', async () => {
    const { code, stderr, answer } = await answered('--policy', 'handoff', '--bundle', HANDOFF)
    expect([code, stderr]).toEqual([0, ''])
    expect(answer).toMatchObject({ schemaVersion: 1, applied: false, policies: ['handoff'], notJudged: [] })
    const [candidate] = answer.candidates
    expect(candidate).toMatchObject({
      policy: 'handoff',
      act: 'delete-ephemeral-runner',
      subject: { kind: 'EphemeralRunner', namespace: 'gha', name: 'release-gate-27lp8-runner-qgqvf' },
      decision: 'would-remove',
      decidedBy: null,
      atAct: ['github-deregistered', 'evidence-stored'],
    })
    expect(candidate?.gates.map(({ gate }) => gate)).toEqual([
      'identity',
      'no-job-on-record',
      'github-not-busy',
      'github-no-job-names-it',
      'no-worker-process',
      'old-enough',
      'listener-known',
      'complete-read',
      'within-cap',
    ])
    expect(
      candidate?.gates.every(({ holds, why, ageSeconds }) => holds === true && why !== '' && ageSeconds === 0),
    ).toBe(true)
  })

  it('exits with 4 if a gate refused, and names the gate', async () => {
    const { code, answer } = await answered('--policy', 'offline', '--bundle', OFFLINE)
    expect(code).toBe(4)
    expect(decisions(answer)).toEqual([
      ['offline', 'linux-x7k2p-runner-offl1', 'blind', 'no-worker-process'],
      ['offline', 'linux-x7k2p-runner-gone2', 'would-remove', null],
      ['offline', 'linux-x7k2p-runner-young', 'refused', 'old-enough'],
    ])
    const blind = answer.candidates[0]?.gates.find(({ gate }) => gate === 'no-worker-process')
    expect(blind).toMatchObject({ holds: null, why: 'its processes were not read' })
  })

  it('refuses the runner of a recording that has a job', async () => {
    const { code, answer } = await answered('--policy', 'zombie', '--policy', 'offline', '--bundle', ZOMBIE)
    expect(code).toBe(4)
    expect(decisions(answer)).toEqual([
      ['offline', 'release-c585j-runner-gv2n9', 'refused', 'no-job-on-record'],
      ['zombie', 'release-c585j-runner-gv2n9', 'refused', 'no-job-on-record'],
    ])
  })

  it('exits with 0 on a healthy fleet, whatever the policies', async () => {
    const all = ['offline', 'zombie', 'never-registered', 'failed', 'hung', 'handoff', 'excess', 'stale-generation']
    const { code, answer } = await answered(...all, 'wedge', '--bundle', IDLE)
    expect([code, answer.candidates]).toEqual([0, []])
    expect(answer.policies).toEqual([...all, 'wedge'])
  })

  it('shows a wedged set as one candidate with all that it removes, and frees it once its processes are known', async () => {
    const unknown = await answered('--policy', 'wedge', '--bundle', WEDGED)
    expect(unknown.code).toBe(3)
    expect(decisions(unknown.answer)).toEqual([['wedge', 'docker-build', 'blind', 'no-worker-process']])
    const pod = 'docker-build-cggwt-runner-z7mzr'
    const bundle = await written(WEDGED, withProcesses(pod))
    const { code, answer } = await answered('--policy', 'wedge', '--bundle', bundle)
    expect(code).toBe(0)
    expect(answer.candidates[0]).toMatchObject({
      act: 'scale-ephemeral-runner-set',
      subject: { kind: 'AutoscalingRunnerSet', namespace: 'arc-runners', name: 'docker-build' },
      decision: 'would-remove',
      removes: [{ kind: 'EphemeralRunner', namespace: 'arc-runners', name: pod }],
      scales: [{ kind: 'EphemeralRunnerSet', namespace: 'arc-runners', name: 'docker-build-cggwt' }],
    })
    const none = await answered('--policy', 'wedge', '--max', '0', '--bundle', bundle)
    expect([none.code, decisions(none.answer)]).toEqual([4, [['wedge', 'docker-build', 'refused', 'within-cap']]])
  })

  it('refuses a wedged set with a worker in it', async () => {
    const worker = `${LISTENER}42 18 81 /home/runner/bin/Runner.Worker spawnclient 1 2\n`
    const bundle = await written(WEDGED, withProcesses('docker-build-cggwt-runner-z7mzr', worker))
    const { code, answer } = await answered('--policy', 'wedge', '--bundle', bundle)
    expect([code, decisions(answer)]).toEqual([4, [['wedge', 'docker-build', 'refused', 'no-worker-process']]])
  })

  it('exits with 3 without candidates while GitHub is blind, and says why', async () => {
    const bundle = await written(OFFLINE, (files) => forbidden(files, 'github/runners'))
    const { code, answer } = await answered('--policy', 'offline', '--bundle', bundle)
    expect([code, answer.candidates]).toEqual([3, []])
    expect(answer.notJudged).toMatchObject([
      { policy: 'offline', sources: [{ name: 'github/runners', reason: 'forbidden: 403' }] },
    ])
    const { stdout } = await runInProcess(['reap', '--policy', 'offline', '--bundle', bundle])
    expect(stdout).toContain(
      'offline finds nothing without github/runners (forbidden: 403): the credential may not read this',
    )
  })

  it.each([
    ['--min-age', '30d', ['refused', 'old-enough']],
    ['--min-age', '5m', ['would-remove', null]],
    ['--max', '0', ['refused', 'within-cap']],
    ['--max-per-set', '0', ['refused', 'within-cap']],
    ['--set', 'linux', ['would-remove', null]],
    ['--set', 'arc-runners/linux', ['would-remove', null]],
  ])('takes %s %s', async (flag, value, expected) => {
    const { answer } = await answered('--policy', 'offline', flag, value, '--bundle', OFFLINE)
    const candidate = answer.candidates.find(({ subject }) => subject.name.endsWith('gone2'))
    expect([candidate?.decision, candidate?.decidedBy]).toEqual(expected)
  })

  it('prints a table with a mark for each gate and the reason that decides', async () => {
    const { stdout } = await runInProcess(['reap', '--policy', 'offline', '--bundle', OFFLINE])
    expect(stdout).toMatch(/^offline +arc-runners\/linux-x7k2p-runner-gone2 +would remove +✓✓✓✓✓✓✓✓✓✓· +GitHub's/m)
    expect(stdout).toMatch(/^offline +\S+offl1 +blind +✓✓✓✓·\?✓✓✓✓· +no-worker-process: its processes were not read$/m)
    expect(stdout).toMatch(
      /^offline +\S+young +refused +✓✓✓✓·\?✗✓✓✓· +old-enough: it is 8m20s old; the minimum is 10m$/m,
    )
    expect(stdout).toContain('Gates, in this order: identity, no-job-on-record, github-not-busy,')
    expect(stdout).toMatch(
      /^ {2}no-worker-process: one of these, best first: .*vitals\.sh in the runner .* > processes\/NAMESPACE\/POD\.txt$/m,
    )
    expect(stdout).toContain('1 would be removed, 1 refused, 1 blind. This is a dry run: nothing was changed.')
  })

  it.each([
    [['reap', '--bundle', IDLE], 2, 'reap requires --policy'],
    [['reap', '--policy', 'offlin', '--bundle', IDLE], 2, 'did you mean offline?'],
    [['reap', '--policy', 'offline', '--bundle', IDLE, '--apply'], 2, '--apply cannot be combined with --bundle'],
    [['reap', '--policy', 'offline', '--apply'], 2, 'stdin is not a terminal'],
    [['reap', '--policy', 'offline', '--bundle', IDLE, '--max', 'many'], 2, '--max many is not a whole number'],
    [['reap', '--policy', 'offline', '--bundle', IDLE, '--min-age', '10'], 2, '--min-age 10 is not'],
    [['reap', '--policy', 'offline', '--bundle', IDLE, '--set', 'linus'], 3, 'the fleet has no linus'],
    [['reap', '--policy', 'offline', '--bundle', '/nonexistent'], 3, 'cannot read the bundle'],
    [
      ['reap', '--policy', 'offline', '--bundle', IDLE, '--github-runners-json', 'runners.json'],
      2,
      '--github-runners-json can be used only with the live fleet',
    ],
  ])('refuses %o with advice', async (args, expected, message) => {
    const { code, stderr } = await runInProcess(args)
    expect(code).toBe(expected)
    expect(stderr).toContain(message)
  })
})
