import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { ADDRESS_SECRET, answering, startReceiving } from '#test/notify/receiving-server.ts'
import type { ReceivingServer } from '#test/notify/receiving-server.ts'
import type { PublishedFormat } from '#test/notify/published-formats.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-notify-'))
})
afterAll(() => rm(folder, { recursive: true }))

const servers: ReceivingServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function receive(format: PublishedFormat): Promise<ReceivingServer> {
  const server = await startReceiving(format)
  servers.push(server)
  return server
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess(['notify', 'test', ...args], { env, cwd: folder })

describe('signalbox notify test', () => {
  it('sends a sample to every channel that is configured', async () => {
    const [slack, teams, webhook] = [await receive('slack'), await receive('teams'), await receive('webhook')]
    await writeFile(join(folder, 'slack-url'), `${slack.url}\n`)
    await writeFile(join(folder, 'signalbox.yaml'), 'notify: {slack: {urlFile: slack-url}, webhook: {secret: signs}}\n')
    const env = { SIGNALBOX_NOTIFY_TEAMS_URL: teams.url, SIGNALBOX_NOTIFY_WEBHOOK_URL: webhook.url }
    const { code, stdout, stderr } = await run(['-o', 'json'], env)
    await rm(join(folder, 'signalbox.yaml'))
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      channels: ['slack', 'teams', 'webhook'].map((channel) => ({ channel, outcome: 'sent', why: null })),
    })
    expect([code, stderr]).toEqual([0, ''])
    for (const { received } of [slack, teams, webhook]) expect(received[0]?.body).toContain('TEST: ')
    expect(webhook.received[0]?.headers['x-signalbox-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/)
  })

  it('reports failures without the address, and sends only to the named channel', async () => {
    const [slack, teams] = [await receive('slack'), await receive('teams')]
    slack.answers.push(answering(404, {}, 'no_service'))
    const env = { SIGNALBOX_NOTIFY_SLACK_URL: slack.url, SIGNALBOX_NOTIFY_TEAMS_URL: teams.url }
    const { code, stdout, stderr } = await run(['slack'], env)
    expect([code, stdout]).toEqual([1, expect.stringMatching(/slack +failed .*404 \(no_service\)/)])
    expect(teams.received).toEqual([])
    expect(`${stdout}${stderr}`).not.toContain(ADDRESS_SECRET)
    const printed = await runInProcess(['config', 'print'], { env, cwd: folder })
    expect(printed.stdout).toContain('notify.slack.url')
    expect(printed.stdout).not.toContain(ADDRESS_SECRET)
  })

  it('is a usage error when the channel is not configured', async () => {
    expect(await run([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no channel is configured') as string,
    })
    const other = await run(['teams'], { SIGNALBOX_NOTIFY_SLACK_URL: 'http://127.0.0.1:9/x' })
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('teams is not configured') as string })
    const strange = { SIGNALBOX_NOTIFY_SLACK_URL: 'http://127.0.0.1:9/x', SIGNALBOX_NOTIFY_CAUSES: 'oom-contaner' }
    expect(await run([], strange)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('oom-container') as string,
    })
    const without = await run([], { SIGNALBOX_NOTIFY_GITHUB_CHECK_RUNS: 'true' })
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a GitHub App') as string })
  })

  it('checks the permission to write check runs, and writes none', async () => {
    await using world = await startGitHubWorld()
    const key = join(folder, 'key.pem')
    await writeFile(key, world.sim.keys.privateKeyPem)
    const env = {
      SIGNALBOX_GITHUB_BASE_URL: world.url,
      SIGNALBOX_GITHUB_OWNERS: 'acme',
      SIGNALBOX_GITHUB_APP_ID: String(world.sim.app.id),
      SIGNALBOX_GITHUB_APP_PRIVATE_KEY_FILE: key,
      SIGNALBOX_NOTIFY_GITHUB_CHECK_RUNS: 'true',
    }
    const { code, stdout } = await run(['github', '-o', 'json'], env)
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { channels: [{ channel: 'github', outcome: 'may write', why: 'acme' }] },
    ])
    expect(world.requests.some((request) => request.startsWith('POST') && request.includes('check-runs'))).toBe(false)
  })
})
