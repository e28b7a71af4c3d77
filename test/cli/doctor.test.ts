import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { until } from '#test/cluster/until.ts'

const validate = new Ajv2020().compile(
  JSON.parse(readFileSync(join(repository, 'schemas/doctor.schema.json'), 'utf8')) as object,
)

// A database is created and an API server is asked, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let sim: SimGitHub
let served: ServedGitHub
let appFile: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-doctor-test-'))
  sim = createSimGitHub({ clock: systemClock })
  sim.world.addOrganization('acme')
  sim.install('acme')
  served = await serveGitHub(sim.fetch)
  appFile = join(folder, 'app.yaml')
  await writeFile(join(folder, 'app.pem'), sim.keys.privateKeyPem)
  await writeFile(appFile, `github: {baseUrl: "${served.url}", app: {id: ${sim.app.id}, privateKeyFile: app.pem}}\n`)
})

afterAll(async () => {
  await served.stop()
  await rm(folder, { recursive: true, force: true })
})

type ShownCheck = { readonly status: string; readonly detail: string; readonly fix?: string }

/** Nothing listens there, so the check fails without starting anything. */
const NO_DATABASE = ['--database-url', 'postgres://nobody:hunter2@127.0.0.1:1/x']

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runInProcess(['doctor', '-o', 'json', ...args], { env })
  const document = JSON.parse(stdout) as { checks: readonly (ShownCheck & { readonly id: string })[] }
  validate(document)
  expect(validate.errors).toBeNull()
  expect(stdout + stderr).not.toContain('hunter2')
  return {
    code,
    checks: Object.fromEntries(
      document.checks.map(({ id, ...metricsText }): [string, ShownCheck] => [id, metricsText]),
    ),
  }
}

describe('signalbox doctor without a cluster', () => {
  it('exits with 3 when nothing can be reached, and says how to fix each thing', async () => {
    const { code, checks } = await doctor(NO_DATABASE, {
      SIGNALBOX_GITHUB_TOKEN: 'x',
      SIGNALBOX_GITHUB_BASE_URL: 'http://127.0.0.1:1',
    })
    expect(code).toBe(3)
    expect(checks['kubernetes']).toMatchObject({
      status: 'fail',
      detail: 'no kubeconfig, and not running in a cluster',
    })
    expect(checks['github']).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('github.baseUrl') as string,
    })
    expect(checks['database']).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('DATABASE_URL') as string,
    })
    expect(checks['kubernetes-rights']).toMatchObject({ status: 'skip' })
  })

  it('starts the embedded database as a test, and leaves nothing behind', async () => {
    const trials = join(folder, 'tmp')
    await mkdir(trials)
    // PostgreSQL started by root runs as another user, who needs access.
    await chmod(folder, 0o755)
    const { checks } = await doctor(['--config', appFile, '--data', join(folder, 'data')], { TMPDIR: trials })
    expect(checks['database']).toEqual({ title: 'PostgreSQL', status: 'ok', detail: 'embedded, can be started here' })
    expect(await readdir(trials)).toEqual([])
    expect(await readdir(folder)).not.toContain('data')
  })

  it('shows the database, agents and audit events of the running server', async () => {
    const metricsText = 'signalbox_build_info{version="1"} 1\nsignalbox_agents 2\n'
    const server = createServer((request, response) => response.end(request.url === '/metrics' ? metricsText : 'ok\n'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as { port: number }
    const { checks } = await doctor([], { SIGNALBOX_LISTEN: `127.0.0.1:${port}` })
    server.close()
    expect(checks['database']).toMatchObject({
      status: 'ok',
      detail: `embedded, running for http://127.0.0.1:${port}`,
    })
    expect(checks['agents']).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^2 connected/) as string })
    expect(checks['audit-source']).toMatchObject({ status: 'skip' })
    const nobody = await doctor(NO_DATABASE, { SIGNALBOX_LISTEN: '127.0.0.1:9' })
    expect(nobody.checks['agents']).toMatchObject({ status: 'skip' })
  })

  it('cleans up the trial database when interrupted', async () => {
    const trials = join(folder, 'interrupted')
    await mkdir(trials)
    await chmod(folder, 0o755)
    const child = spawn(launcher, ['doctor'], { env: cleanEnvironment({ TMPDIR: trials }), stdio: 'ignore' })
    const closed = once(child, 'close')
    await until({
      what: 'the trial to begin',
      timeoutMs: 60_000,
      // The program may rename or remove files during this check.
      probe: async () => {
        const files = await readdir(trials, { recursive: true }).catch(() => [])
        return files.length > 3 ? true : undefined
      },
    })
    child.kill('SIGINT')
    expect(await closed).toEqual([130, null])
    expect(await readdir(trials)).toEqual([])
  })

  it('asks a database server for its version and the right to create tables', async () => {
    const dataFolder = join(folder, 'server')
    await chmod(folder, 0o755)
    const { signal } = new AbortController()
    const server = await startEmbedded({ dataFolder, clock: systemClock, notice: () => {}, signal })
    if (server.kind === 'refused') throw new Error(server.why)
    try {
      const { checks } = await doctor(['--database-url', server.connectionString])
      expect(checks['database']).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(/^18\.\d.* at \//) as string,
      })
      expect(checks['data-folder']).toMatchObject({ status: 'skip' })
    } finally {
      await server.stop()
    }
  })

  it('checks identity, permissions and rate limit of the App', async () => {
    const { code, checks } = await doctor([...NO_DATABASE, '--config', appFile, '--owner', 'acme'])
    expect(checks['github']).toMatchObject({ status: 'ok', detail: expect.stringContaining(served.url) as string })
    expect(checks['github-permissions']).toMatchObject({ status: 'ok' })
    expect(checks['github-budget']).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^installation \d+: \d+ of \d+/) as string,
    })
    expect(checks['clock-skew']).toMatchObject({ status: 'ok' })
    expect(code).toBe(1)
  })

  it('names the permissions that an installation lacks', async () => {
    sim.world.addOrganization('poor')
    sim.install('poor', { permissions: { metadata: 'read', actions: 'read' } })
    const { checks } = await doctor([...NO_DATABASE, '--config', appFile, '--owner', 'poor'])
    expect(checks['github-permissions']).toMatchObject({
      status: 'fail',
      detail: 'poor: checks=read is missing, poor: organization_self_hosted_runners=read is missing',
    })
  })

  it('distinguishes a refused token from an unreachable GitHub', async () => {
    const { checks } = await doctor(NO_DATABASE, {
      SIGNALBOX_GITHUB_TOKEN: 'ghp_hunter2',
      SIGNALBOX_GITHUB_BASE_URL: served.url,
    })
    expect(checks['github']).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('Set a credential') as string,
    })
  })
})
