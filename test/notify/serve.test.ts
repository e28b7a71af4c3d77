import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { until } from '#test/cluster/until.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { ADDRESS_SECRET, answering, startReceiving } from '#test/notify/receiving-server.ts'
import { someRow } from '#test/notify/some-death.ts'

const { connectionString } = await testDatabase()

const stops: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

test(
  'serve sends an unsent death exactly once, even if it is killed before and after',
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-notify-'))
    const server = await startReceiving('slack')
    stops.push(
      () => rm(folder, { recursive: true }),
      () => server[Symbol.asyncDispose](),
    )
    const config = join(folder, 'signalbox.yaml')
    await writeFile(join(folder, 'url'), server.url)
    await writeFile(config, 'notify: {settle: 1s, window: 40s, slack: {urlFile: url}}\nlog: {level: debug}\n')
    const serve = async (): Promise<ServeProcess> => {
      const process = await startServe(['--config', config, '--data', folder], connectionString)
      stops.push(() => process.stop('SIGKILL'))
      return process
    }
    const begun = async () => ((await store.notices.count('slack/begun', 0)) > 0 ? true : undefined)
    const { store, close } = openPostgresStore(connectionString)
    stops.push(close)

    const hasSent = (deaths: number) => async () =>
      (await store.notices.count('slack/told', 0)) === deaths ? true : undefined

    const first = await serve()
    await until({ what: 'the channel to begin', timeoutMs: 60_000, probe: begun, explain: async () => first.said() })
    await first.stop('SIGKILL')
    const now = Date.now()
    for (const uid of ['a', 'b', 'c']) await store.deaths.record(someRow(uid, { diedAt: now }), [])

    server.answers.push(answering(500))
    const second = await serve()
    await until({ what: 'the notification', timeoutMs: 60_000, probe: hasSent(3), explain: async () => second.said() })
    expect(server.received.length).toBe(2)
    expect(server.received[1]?.body).toContain('3 runners on node n7 within a second: node lost')
    const metrics = await (await fetch(`${second.url}/metrics`)).text()
    expect(metrics).toContain('signalbox_notices_total{channel="slack",outcome="sent"} 1\n')
    expect(metrics).toContain('signalbox_notices_total{channel="slack",outcome="retried"} 1\n')
    expect(second.said()).toContain('cannot send a notice, will retry')
    expect(second.said()).not.toContain(ADDRESS_SECRET)
    await second.stop('SIGKILL')

    await store.deaths.record(someRow('d', { diedAt: now + 1, node: 'n8', pool: 'other' }), [])
    const third = await serve()
    await until({ what: 'the fourth', timeoutMs: 60_000, probe: hasSent(4), explain: async () => third.said() })
    expect(server.received.length).toBe(3)
    expect(server.received[2]?.body).toContain('arc/runner-d on node n8: node lost')
    await third.stop('SIGTERM')
    expect(third.said()).toContain('Stopped.')
  },
)

test(
  'a replay reports deaths to the terminal, and to none of the configured channels',
  { timeout: 300_000 },
  async () => {
    const server = await startReceiving('slack')
    stops.push(() => server[Symbol.asyncDispose]())
    const args = ['--replay', '--replay-seed', '11', '--replay-pace', '1s', '--data', join(await openFolder(), 'data')]
    const serving = await startServe(args, null, {
      SIGNALBOX_NOTIFY_SLACK_URL: server.url,
      SIGNALBOX_NOTIFY_SETTLE: '1s',
    })
    stops.push(() => serving.stop('SIGKILL'))
    const probe = async () => (/a channel would send: \S/.test(serving.said()) ? true : undefined)
    await until({ what: 'a notification', timeoutMs: 120_000, probe, explain: async () => serving.said() })
    await serving.stop('SIGTERM')
    expect(server.received).toEqual([])
  },
)
