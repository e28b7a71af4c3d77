import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { runInProcess } from '#test/cli/run-in-process.ts'

const recordings = path.resolve(import.meta.dirname, '..', 'fleets', 'arc')
const fleet = (name: string) => path.join(recordings, `${name}.tar.gz`)
const WEDGED = fleet('0.14.2-wedged-values-change')
const IDLE = fleet('0.14.2-healthy-idle')

type Answer = {
  readonly schemaVersion: number
  readonly audits: readonly {
    readonly id: string
    readonly sources: readonly { readonly name: string; readonly ok: boolean }[]
    readonly findings: readonly {
      readonly class: string
      readonly severity: string
      readonly subject: { readonly kind: string; readonly namespace: string; readonly name: string }
      readonly evidence: readonly string[]
      readonly hint: string
      readonly gates?: readonly { readonly gate: string; readonly holds: boolean; readonly why: string }[]
    }[]
  }[]
  readonly lanes?: readonly { readonly label: string; readonly firstLimiter: string | null }[]
}

const answered = async (...args: readonly string[]) => {
  const ran = await runInProcess([...args, '-o', 'json'])
  return { ...ran, answer: JSON.parse(ran.stdout) as Answer }
}

function file(name: string, content: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = path.join(folder, name)
  writeFileSync(at, content)
  return at
}

describe('signalbox audit', () => {
  it('prints JSON as in docs/contracts/findings.md, and exits with 1 for findings', async () => {
    const { code, stderr, answer } = await answered('audit', 'runtime', '--bundle', WEDGED)
    expect([code, stderr]).toEqual([1, ''])
    expect(answer.schemaVersion).toBe(1)
    expect(answer.audits.map(({ id }) => id)).toEqual(['runtime'])
    const [runtime] = answer.audits
    expect(runtime?.sources).toContainEqual({
      name: 'kubernetes/ephemeralrunners',
      ok: true,
      gives: expect.any(String) as string,
      rows: 3,
    })
    const wedge = runtime?.findings.find((finding) => finding.class === 'rollover-wedged')
    expect(wedge).toMatchObject({
      severity: 'critical',
      subject: { kind: 'AutoscalingRunnerSet', namespace: 'arc-runners', name: 'docker-build' },
    })
    expect(wedge?.evidence.length).toBeGreaterThan(0)
    expect(wedge?.gates?.every(({ why }) => why !== '')).toBe(true)
  })

  it('refuses the network audit without a runner or a time, also on a bundle that names no runner', async () => {
    const ran = await runInProcess(['audit', 'network', '--bundle', IDLE])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('requires --runner-name or --at')])
    expect((await runInProcess(['audit', 'network', '--bundle', IDLE, '--at', '2026-11-15T21:00:00Z'])).code).not.toBe(
      2,
    )
  })

  it('says what it looked at, and what would show more, when it found nothing', async () => {
    const { stdout } = await runInProcess(['audit', 'nodes', '--bundle', IDLE])
    expect(stdout).toContain('No findings in what could be seen: nodes (6 of 8 sources).')
    expect(stdout).toMatch(/^Looked at: kubernetes\/nodes \(1\), kubernetes\/pods/m)
    expect(stdout).toMatch(/^host +nodes: the kernel's file table .* signalbox audit nodes --this-node NAME/m)
  })

  it('ends with a line for each lane, and lists audits that do not apply', async () => {
    const { code, stdout } = await runInProcess(['audit', '--bundle', WEDGED])
    expect(code).toBe(1)
    expect(stdout).toContain('Not applicable to this fleet: network,')
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      'docker-build: 1 waiting, 0 busy, 1 idle, 0 not ready, maximum 6; first limiter listener-unhealthy (admits 0)',
      'linux-x64: 0 waiting, 2 busy, 0 idle, 0 not ready, maximum 8; nothing waits, but it has no listener now',
    ])
  })

  it('exits with 0 when nothing is above info, and with 1 by --fail-on info', async () => {
    expect((await runInProcess(['audit', 'runtime', '--bundle', IDLE])).code).toBe(0)
    expect((await runInProcess(['audit', 'runtime', '--bundle', IDLE, '--fail-on', 'info'])).code).toBe(1)
    expect((await runInProcess(['audit', 'runtime', '--bundle', IDLE, '--fail-on', 'idle-no-job-runner'])).code).toBe(1)
    expect((await runInProcess(['audit', 'auth', '--bundle', IDLE, '--fail-on', 'critical'])).code).toBe(0)
  })

  it('reports only the requested lane', async () => {
    const { answer } = await answered('audit', 'burst', '--bundle', WEDGED, '--include-label', 'linux-x64')
    expect(answer.audits[0]?.findings).toEqual([])
  })

  it.each([
    [['audit', 'runtimes', '--bundle', IDLE], 'runtimes'],
    [['audit', 'runtime', '--bundle', IDLE, '--fail-on', 'rollover-wedge'], 'did you mean rollover-wedged?'],
    [['audit', 'network'], 'use --runner-name NAME or --at TIME'],
    [['audit', 'network', '--bundle', IDLE, '--at', 'yesterday'], '--at yesterday is not'],
    [['audit', 'cache', '--bundle', IDLE, '--probe'], '--probe cannot be combined with --bundle or --source'],
    [['audit', '--bundle', IDLE, '--source', 'values.yaml'], '--bundle cannot be combined with --source'],
    [
      ['audit', '--bundle', IDLE, '--github-runners-json', 'runners.json'],
      '--github-runners-json can be used only with the live fleet',
    ],
    [['audit', '--bundle', IDLE, '--fleet', '/nonexistent/fleet.yaml'], 'cannot read the fleet file'],
  ])('refuses %o with advice', async (args, message) => {
    const { code, stderr } = await runInProcess(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('exits with 3 for an unknown lane, set or node: a typo must not look healthy', async () => {
    for (const flag of ['--include-label', '--scale-set', '--node']) {
      const { code, stderr } = await runInProcess(['audit', 'runtime', 'imagefs', '--bundle', WEDGED, flag, 'no-such'])
      expect([flag, code, stderr.includes('the fleet has no no-such')]).toEqual([flag, 3, true])
    }
  })

  it('exits with 3 for an unreadable bundle, and without a cluster', async () => {
    expect((await runInProcess(['audit', '--bundle', '/nonexistent'])).code).toBe(3)
    const { code, stderr } = await runInProcess(['audit', 'runtime'], { env: { KUBECONFIG: '/nonexistent' } })
    expect([code, stderr.includes('at ')]).toEqual([3, false])
  })

  it("uses the given fleet file instead of the bundle's own, and refuses an invalid one", async () => {
    const head = 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\n'
    const declared = file('fleet.yaml', `${head}spec:\n  lanes: [{ label: linux-x64, declaredMax: 99 }]\n`)
    const { answer } = await answered('audit', 'capacity', '--bundle', IDLE, '--fleet', declared)
    expect(JSON.stringify(answer.audits[0]?.findings)).toContain('99')
    const wrong = await runInProcess([
      'audit',
      '--bundle',
      IDLE,
      '--fleet',
      file('fleet.yaml', `${head}spec: { lane: [] }\n`),
    ])
    expect([wrong.code, wrong.stderr.includes('signalbox fleet check')]).toEqual([2, true])
  })

  it('runs contract and capacity on files, without a cluster', async () => {
    const values = file(
      'values.yaml',
      'githubConfigUrl: https://github.com/acme\ngithubConfigSecret: app\nminRunners: 5\nmaxRunners: 2\nrunnerScaleSetName: linux\n',
    )
    const { answer } = await answered('audit', 'contract', '--source', values)
    expect(answer.audits[0]?.findings.map((finding) => finding.class)).toContain('min-above-max')
  })
})

describe('signalbox preflight', () => {
  it.each([
    ['a wedged set', [], WEDGED, 1],
    ['a set whose rollover is under way', ['linux-x64'], WEDGED, 1],
    ['sets that are ready', [], IDLE, 0],
    ['a set that is ready, by namespace and name', ['arc-runners/linux-x64'], IDLE, 0],
    ['a set that is not there', ['linux-x46'], IDLE, 3],
  ])('answers for %s', async (_title, sets, bundle, code) => {
    expect((await runInProcess(['preflight', ...sets, '--bundle', bundle])).code).toBe(code)
  })

  it('does not wait for a bundle to change', async () => {
    const { code, stderr } = await runInProcess(['preflight', '--bundle', WEDGED, '--wait', '10m'])
    expect([code, stderr.includes('a bundle does not change')]).toEqual([2, true])
  })
})

describe('signalbox pull-secrets check', () => {
  it('prints the same findings as the audit', async () => {
    const [check, audit] = [
      await answered('pull-secrets', 'check', '--bundle', IDLE),
      await answered('audit', 'pull-secrets', '--bundle', IDLE),
    ]
    expect(check.answer.audits).toEqual(audit.answer.audits)
  })
})

describe('signalbox explain', () => {
  it('knows classes, audits and causes', async () => {
    for (const [name, words] of [
      ['rollover-wedged', 'audit runtime'],
      ['burst', 'Classes: queued-behind-active-runner-capacity'],
      ['oom-container', 'How to recognise it'],
    ] as const) {
      const { code, stdout } = await runInProcess(['explain', name])
      expect([code, stdout.includes(words)]).toEqual([0, true])
    }
  })

  it('describes every audit that has a class of that name', async () => {
    const { stdout } = await runInProcess(['explain', 'secret-missing', '-o', 'json'])
    const { meanings } = JSON.parse(stdout) as { readonly meanings: readonly { readonly audit: string }[] }
    expect(meanings.map(({ audit }) => audit).toSorted()).toEqual(['auth', 'cache', 'pull-secrets'])
  })

  it('suggests names for a misspelled one', async () => {
    const { code, stderr } = await runInProcess(['explain', 'rollover-wedge'])
    expect([code, stderr.includes('did you mean rollover-wedged?')]).toEqual([2, true])
  })
})
