import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '#/adapters/clock.ts'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { cleanEnvironment, launcher } from '#test/cli/run-signalbox.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'

/** Split, so that no scanner takes it for a real one. */
const PLANTED = ['ghs', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')

let folder: string
let sim: SimGitHub
let served: ServedGitHub
let job: { readonly id: number; readonly run: number }
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-collect-test-'))
  await writeFile(join(folder, 'fleet.yaml'), FLEET)
  await writeFile(join(folder, 'wrong.yaml'), 'apiVersion: v1\nkind: Fleet\n')
  sim = createSimGitHub({ clock: systemClock })
  sim.world.addOrganization('acme')
  sim.world.addRepository('acme/api')
  sim.install('acme')
  served = await serveGitHub(sim.fetch)
  env = { SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'), SIGNALBOX_GITHUB_BASE_URL: served.url }
  const scope = { kind: 'organization', login: 'acme' } as const
  const registered = sim.world.registerRunner({ name: 'linux-1', scope, labels: ['linux'] })
  if (registered.kind !== 'registered') throw new Error(registered.kind)
  sim.world.runnerComesOnline(registered.runner.id)
  job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
  sim.world.assign()
  sim.world.startJob(job.id)
  sim.world.completeJob(job.id, { conclusion: 'failure', log: `2026-06-06T21:00:00Z token ${PLANTED}\n` })
})
afterAll(async () => {
  await served.stop()
  await rm(folder, { recursive: true, force: true })
})

const FLEET = `apiVersion: signalbox.dev/v1alpha1
kind: Fleet
metadata: { name: production }
spec:
  pullSecrets:
    - { name: ghcr-pull, authoritative: { namespace: arc-runners }, copies: [{ namespace: arc-systems }] }
  cache:
    env: [CACHE_SERVER, CACHE_TOKEN]
    secret: { namespace: arc-runners, name: cache-credentials }
    trustedKeys: [main:6NCHdD59X431o0gWypbMrAURkbJ16ZPMQFGspcDShjY=]
  releases:
    - component: ghcr.io/actions/actions-runner
      contains: ['sha256:6f1ed002ab5595859014ebf0951522d9b2a3c4d5e6f708192a3b4c5d6e7f8091']
  gitlab:
    tokenSecret: { namespace: gitlab-runners, name: gitlab-runner-token-1 }
    autoCreatesTokens: true
`

const address = (): string => `${served.url}/acme/api/actions/runs/${job.run}/job/${job.id}`
const collect = (...args: readonly string[]) => runInProcess(['collect', ...args], { env, cwd: folder })

describe('signalbox collect without a cluster', () => {
  it("writes GitHub's data of a job, lists blind sources, and exits with 0", async () => {
    const ran = await collect(address(), '-o', 'job.tar.gz', '--summary', 'json')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('  kubernetes/pods: not-asked: no kubeconfig, and not inside a cluster')
    expect(ran.stderr).toMatch(/^job\.tar\.gz: \d+ files, [\d.]+KiB$/m)
    const summary = JSON.parse(ran.stdout) as {
      readonly sources: readonly { readonly source: string; readonly ok: boolean }[]
    }
    expect(summary).toMatchObject({
      schemaVersion: 1,
      path: 'job.tar.gz',
      subject: { jobId: job.id, runner: 'linux-1' },
    })
    expect(summary.sources).toContainEqual({ source: 'github/jobs', ok: true, from: null, to: null, reason: null })
    const opening = await openBundle(join(folder, 'job.tar.gz'), BUNDLE_LIMITS, new AbortController().signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    await using bundle = opening.bundle
    expect(await bundle.githubJob(job.id)).toMatchObject({ kind: 'seen', value: { runner_name: 'linux-1' } })
    expect(await bundle.githubLog(job.id)).toMatchObject({
      kind: 'seen',
      value: expect.stringMatching(/token ‹redacted:.+›\n$/) as string,
    })
    expect((await stat(join(folder, 'job.tar.gz'))).mode & 0o777).toBe(0o600)
  })

  it('writes a folder, and replaces only a bundle, and only with --force', async () => {
    const target = join(folder, 'as-folder')
    expect(await collect(address(), '-o', `${target}/`, '-q')).toMatchObject({ code: 0, stderr: '' })
    const before = await readFile(join(target, 'meta.json'), 'utf8')
    expect(JSON.stringify(await readFile(join(target, 'github', 'logs', `${job.id}.log`), 'utf8'))).not.toContain(
      PLANTED,
    )
    expect(await collect(address(), '-o', target)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force') as string,
    })
    expect(await collect(address(), '-o', target, '--force')).toMatchObject({ code: 0 })
    expect(await readFile(join(target, 'meta.json'), 'utf8')).not.toBe(before)
    await mkdir(join(folder, 'precious'))
    await writeFile(join(folder, 'precious', 'thesis.txt'), 'x')
    expect(await collect(address(), '-o', 'precious', '--force')).toMatchObject({ code: 2 })
    expect(await readdir(join(folder, 'precious'))).toEqual(['thesis.txt'])
    expect((await readdir(folder)).filter((name) => /partial|\.new-|\.old-/.test(name))).toEqual([])
  })

  it('exits with 3 and writes nothing when nothing can be read', async () => {
    const ran = await runInProcess(['collect', 'some-pod', '-o', 'nothing.tar.gz'], { cwd: folder })
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('nothing could be read')])
    expect(await readdir(folder)).not.toContain('nothing.tar.gz')
  })

  it('exits with 1 when the bundle cannot be written', async () => {
    const ran = await collect(address(), '-o', 'no/such/folder/x.tar.gz')
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('there is no such file or folder')])
  })

  it.each([
    [['a/b/c'], 'SUBJECT: '],
    [['x', '-o', 'bundle'], 'neither a .tar.gz nor a folder'],
    [['x', '--since', 'yesterday'], '--since: yesterday is not a time'],
    [['x', '--since', '1h', '--until', '2h'], '--since must be before --until'],
    [['x', '--log-bytes', '0'], '--log-bytes: 0 is not a size'],
    [['x', '--repo', 'acme'], '--repo: acme is not a repository'],
    [['x', '--last-seen', 'missing.json'], 'no such file'],
    [['x', '--this-node', 'a/b'], 'is not a valid node name'],
    [['x', '--journal-directory', '/var/log/journal'], 'add --this-node NAME'],
    [['https://ghe.example.test/acme/api/actions/runs/7'], 'the configured GitHub is'],
    [['x', '--fleet', 'fleet.yaml'], '--fleet cannot be combined with SUBJECT'],
    [['--fleet', 'missing.yaml'], '--fleet: missing.yaml: no such file'],
    [['--fleet', 'wrong.yaml'], 'signalbox fleet check wrong.yaml'],
    [['--github-runners-json', 'wrong.yaml'], '--github-runners-json: wrong.yaml: '],
    [['--gitlab-runners-json', 'wrong.yaml'], '--gitlab-runners-json: wrong.yaml: '],
    [['--gitlab-config', 'missing.toml'], '--gitlab-config: missing.toml: no such file'],
  ])('refuses %j: %s', async (args, expected) => {
    const ran = await collect(...args)
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(expected)])
  })

  it('writes the fleet with the given files, and does not read them from GitHub', async () => {
    const runners = { total_count: 1, runners: [{ id: 9, name: 'saved', status: 'offline', busy: false }] }
    await writeFile(join(folder, 'runners.json'), JSON.stringify(runners))
    await writeFile(join(folder, 'config.toml'), `[[runners]]\n  token = "${PLANTED}"\n`)
    await writeFile(join(folder, 'gitlab.json'), '[{"id": 1}]')
    const gitlab = ['--gitlab-config', 'config.toml', '--gitlab-runners-json', 'gitlab.json']
    const files = ['--fleet', 'fleet.yaml', '--github-runners-json', 'runners.json', ...gitlab]
    const ran = await collect(...files, '--repo', 'acme/api', '-o', 'fleet.tar.gz', '--summary', 'json')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('kubernetes/secrets: not-asked: no kubeconfig')])
    const opening = await openBundle(join(folder, 'fleet.tar.gz'), BUNDLE_LIMITS, new AbortController().signal)
    if (opening.kind === 'refused') throw new Error(opening.why)
    await using bundle = opening.bundle
    expect(bundle.meta.subject).toEqual({})
    // Redaction must not take names of Secrets and public keys for secrets.
    expect(await bundle.fleet()).toEqual({ kind: 'seen', value: parse(FLEET) as unknown })
    expect(await bundle.githubRunners()).toMatchObject({ kind: 'seen', value: [{ name: 'saved' }] })
    expect(await bundle.githubQueuedJobs()).toEqual({ kind: 'none' })
    expect(await bundle.gitlabRunners()).toMatchObject({ kind: 'seen', value: [{ id: 1 }] })
    const config = await bundle.gitlabConfig()
    expect(config).toMatchObject({ kind: 'seen', value: expect.stringContaining('[[runners]]') as string })
    expect(JSON.stringify(config)).not.toContain(PLANTED)
  })

  it('refuses a list of runners that is too old', async () => {
    await writeFile(join(folder, 'old.json'), '{"total_count": 0, "runners": []}')
    const hourAgo = Date.now() / 1000 - 3600
    await utimes(join(folder, 'old.json'), hourAgo, hourAgo)
    const ran = await collect('--github-runners-json', 'old.json', '--repo', 'acme/api', '-o', 'old.tar.gz')
    expect(ran.stderr).toMatch(/github\/runners: expired: the file is 1h\d*s? old, and githubFileAge is 10m/)
  })

  it('leaves nothing behind when it is interrupted', async () => {
    const target = join(folder, 'interrupted')
    await mkdir(target)
    // An API server that takes requests and never answers.
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const kubeconfig = join(folder, 'silent.json')
    const context = { name: 'x', context: { cluster: 'x', user: 'x' } }
    const clusters = [{ name: 'x', cluster: { server: `http://127.0.0.1:${port}` } }]
    const users = [{ name: 'x', user: {} }]
    await writeFile(kubeconfig, JSON.stringify({ clusters, users, contexts: [context], 'current-context': 'x' }))
    const args = ['collect', 'x', '-o', join(target, 'x.tar.gz'), '--kubeconfig', kubeconfig]
    const child = spawn(launcher, args, { env: cleanEnvironment(), stdio: 'ignore' })
    const closed = once(child, 'close')
    await once(silent, 'request')
    expect((await readdir(target)).join()).toContain('.partial-')
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
    expect(await readdir(target)).toEqual([])
    silent.close()
    silent.closeAllConnections()
  })
})
