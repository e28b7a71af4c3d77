import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { BUSY_RUNNER, IDLE_RUNNER, installLiveFleet, installWedgedSet, savedRunners } from '#test/cli/live-fleet.ts'
import { cleanEnvironment, launcher, runSignalbox } from '#test/cli/run-signalbox.ts'
import type { Ran } from '#test/cli/run-signalbox.ts'
import type { NodeCluster } from '#test/cluster/cluster.ts'
import { podPath } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'

const TIMEOUT = { timeout: 600_000 }
/** Until the pod runs and the set has not changed for longer than the suite's threshold. */
const STILL_MS = 11_000

/** The kubelet retries while the suite runs, so the number of its failures differs between two reads. */
const FLEET = `apiVersion: signalbox.dev/v1alpha1
kind: Fleet
spec:
  thresholds: { podStart: 10s, wedgeSettled: 3s, bootstrapLoop: 1000 }
`

type Finding = {
  readonly class: string
  readonly severity: string
  readonly subject: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly evidence: readonly string[]
  readonly firstLimiter?: boolean
}
type Answer = { readonly audits: readonly { readonly id: string; readonly findings: readonly Finding[] }[] }

/** Class and subject: times in the evidence differ between two reads. */
function foundClasses(answer: Answer): Readonly<Record<string, readonly string[]>> {
  const named = ({ class: name, subject }: Finding): string =>
    `${name} ${subject.kind} ${subject.namespace === undefined ? '' : `${subject.namespace}/`}${subject.name}`
  return Object.fromEntries(answer.audits.map(({ id, findings }) => [id, findings.map(named).toSorted()]))
}

function answerIn({ stdout, stderr }: Ran): Answer {
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Answer
}

const QUEUE_BLIND = 'blind Source github/queued-jobs'
const SET = 'AutoscalingRunnerSet arc-runners/linux-x64'

const CASES = [
  {
    what: 'a quota that refuses a pod',
    ask: ['burst', '--include-label', 'gpu'],
    code: 1,
    findings: [QUEUE_BLIND, 'quota-limit Lane gpu'],
    words: 'exceeded quota: runners, requested: pods=1, used: pods=1, limited: pods=1',
  },
  {
    what: 'a pod that is too large for every node',
    ask: ['burst', '--include-label', 'huge'],
    code: 1,
    findings: [QUEUE_BLIND, 'declared-max-exceeds-physical Lane huge', 'scheduler-resource-pressure Lane huge'],
    words: 'Insufficient cpu',
  },
  {
    what: 'an image that no registry serves',
    ask: ['burst', '--include-label', 'private-img'],
    code: 1,
    findings: [QUEUE_BLIND, 'image-pull-behind-pending Lane private-img'],
    words: 'failed to resolve reference',
  },
  {
    what: 'a node that is Ready and starts nothing',
    ask: ['nodes'],
    code: 1,
    findings: ['never-starts-pods Node localhost'],
    words: 'no runtime for "kata-is-not-installed" is configured',
  },
  {
    what: 'a healthy set, of which it lists the idle runner and not the busy one,',
    ask: ['runtime', '--scale-set', 'linux-x64'],
    code: 0,
    findings: [`idle-no-job-runner ${SET}`, `idle-no-job-runner EphemeralRunner arc-runners/${IDLE_RUNNER}`],
    words: 'ready, no job field is set',
  },
] as const

let folder: string
let given: readonly string[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-live-audit-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function saveRunners(cluster: NodeCluster, name: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, await savedRunners(cluster))
  return path
}

describeWithPrivateNode('signalbox on a real cluster with scale sets of ARC 0.14.2', (cluster) => {
  const run = (...args: readonly string[]): Promise<Ran> =>
    runSignalbox(args, { env: { KUBECONFIG: cluster().kubeconfig } })
  const bundle = (): string => join(folder, 'fleet.tar.gz')

  beforeAll(async () => {
    const settledAt = await installLiveFleet(cluster())
    const fleet = join(folder, 'fleet.yaml')
    await writeFile(fleet, FLEET)
    given = ['--fleet', fleet, '--github-runners-json', await saveRunners(cluster(), 'runners.json')]
    await sleep(Math.max(0, settledAt - Date.now()))
  }, 900_000)

  test('audit finds the same in the live fleet and in the bundle that collect makes of it', TIMEOUT, async () => {
    const live = await run('audit', ...given, '-o', 'json')
    const collected = await run('collect', '-o', bundle(), ...given)
    const stored = await run('audit', '--bundle', bundle(), '-o', 'json')
    expect([live.code, live.stderr, collected.code, stored.code]).toEqual([1, '', 0, 1])
    const found = foundClasses(answerIn(live))
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['burst', 'runtime', 'preflight', 'nodes', 'capacity']))
    expect(foundClasses(answerIn(stored))).toEqual(found)
    const blind = answerIn(live).audits.flatMap(({ findings }) => findings.filter((one) => one.class === 'blind'))
    for (const { evidence } of blind) expect(evidence).toEqual(['not-asked: no credential for GitHub is configured'])
  })

  for (const { what, ask, code, findings, words } of CASES) {
    test(`audit ${ask[0]} sees ${what} live and in the bundle`, TIMEOUT, async () => {
      const [live, stored] = await Promise.all([
        run('audit', ...ask, ...given, '-o', 'json'),
        run('audit', ...ask, '--bundle', bundle(), '-o', 'json'),
      ])
      expect([live.code, stored.code]).toEqual([code, code])
      for (const answer of [answerIn(live), answerIn(stored)]) {
        expect(foundClasses(answer)).toEqual({ [ask[0]]: findings })
        const [report] = answer.audits
        expect(report?.findings.flatMap(({ evidence }) => evidence).join('\n')).toContain(words)
        expect(report?.findings.filter(({ firstLimiter }) => firstLimiter === true)).toHaveLength(
          ask[0] === 'burst' ? 1 : 0,
        )
      }
    })
  }

  test('a list of runners that is too old does not count as an answer of GitHub', TIMEOUT, async () => {
    const old = await saveRunners(cluster(), 'old-runners.json')
    const then = Date.now() / 1000 - 660
    await utimes(old, then, then)
    const asked = ['audit', 'runtime', '--scale-set', 'linux-x64', '--github-runners-json', old, '-o', 'json']
    const ran = await run(...asked)
    const blind = answerIn(ran).audits[0]?.findings.find(({ subject }) => subject.name === 'github/runners')
    expect([ran.code, blind?.class]).toEqual([3, 'blind'])
    expect(blind?.evidence[0]).toMatch(/^expired: the file is 11m\d*s? old, and githubFileAge is 10m$/)
  })

  test('preflight says ready of a settled set', TIMEOUT, async () => {
    const ran = await run('preflight', 'arc-runners/docker-build', ...given, '-o', 'json')
    expect([ran.code, foundClasses(answerIn(ran))]).toEqual([
      0,
      { preflight: ['ready AutoscalingRunnerSet arc-runners/docker-build'] },
    ])
  })

  test('audit --watch reports a job that lost its pod, until Ctrl-C', TIMEOUT, async () => {
    const temporary = join(folder, 'temporary')
    await mkdir(temporary)
    const env = cleanEnvironment({ KUBECONFIG: cluster().kubeconfig, TMPDIR: temporary })
    const args = ['audit', 'runtime', '--scale-set', 'linux-x64', '--watch', '--interval', '1s', ...given]
    const child = spawn(launcher, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const closed = once(child, 'close') as Promise<[number | null]>
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const untilPrinted = (words: string): Promise<true> =>
      until({
        what: words,
        timeoutMs: 240_000,
        probe: async () => (output.includes(words) ? true : undefined),
        explain: async () => output,
      })
    try {
      await untilPrinted('idle-no-job-runner')
      expect(output).not.toContain('assigned-job-at-risk')
      const pod = { namespace: 'arc-runners', name: BUSY_RUNNER }
      await cluster().callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })
      await untilPrinted(`+ critical  assigned-job-at-risk  EphemeralRunner arc-runners/${BUSY_RUNNER}: `)
    } finally {
      child.kill('SIGINT')
    }
    expect((await closed)[0]).toBe(130)
    expect(await readdir(temporary)).toEqual([])
  })

  test('preflight reads twice, a minute apart, before it calls a set wedged', TIMEOUT, async () => {
    const name = `arc-runners/${await installWedgedSet(cluster())}`
    const flags = [...given.slice(0, -1), await saveRunners(cluster(), 'late-runners.json')]
    await sleep(STILL_MS)
    const start = Date.now()
    const live = await run('preflight', name, ...flags, '-o', 'json')
    expect(Date.now() - start).toBeGreaterThan(60_000)
    expect([live.code, live.stderr]).toEqual([1, expect.stringContaining('reading again in one minute')])
    expect(foundClasses(answerIn(live))).toEqual({ preflight: [`wedged AutoscalingRunnerSet ${name}`] })
    const late = join(folder, 'late.tar.gz')
    await run('collect', '-o', late, ...flags)
    const [stored, runtime] = await Promise.all([
      run('preflight', name, '--bundle', late, '-o', 'json'),
      run('audit', 'runtime', '--scale-set', name, '--bundle', late, '-o', 'json'),
    ])
    expect([stored.code, foundClasses(answerIn(stored))]).toEqual([1, foundClasses(answerIn(live))])
    expect(foundClasses(answerIn(runtime))['runtime']).toEqual(
      expect.arrayContaining([
        `rollover-wedged AutoscalingRunnerSet ${name}`,
        `stale-idle-listener-blocker AutoscalingRunnerSet ${name}`,
      ]),
    )
  })
})
