import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import { ask } from '#test/postgres/ask.ts'
import { silentProxy } from '#test/postgres/silent-proxy.ts'
import { emptyDatabase } from '#test/postgres/test-database.ts'
import { postgresWakeups } from './wakeups.ts'
import { WAKE_CHANNEL } from './connection/wake-channel.ts'

const { connectionString } = await emptyDatabase()
const PATIENCE = { timeout: 50_000, interval: 50 }
/** Others on this server listen too. */
const LISTENERS = `from pg_stat_activity
  where datname = current_database() and application_name = 'signalbox wakeups'`
const timers = { set: setTimeout, clear: clearTimeout }
/** Ten times as fast as the machine's, and runs on where a test holds the timers of others. */
const fastClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const pending = timers.set(resolve, ms / 10)
      const end = (): void => {
        timers.clear(pending)
        resolve()
      }
      if (signal?.aborted === true) end()
      else signal?.addEventListener('abort', end, { once: true })
    }),
}

async function listen(from: string, clock: Clock = systemClock) {
  const heard: string[] = []
  const { stop } = await postgresWakeups({ connectionString: from, clock }).listen((scope) => void heard.push(scope))
  onTestFinished(stop)
  return { heard, stop }
}

async function notify(scope: string): Promise<void> {
  await ask(connectionString, `notify ${WAKE_CHANNEL}, '${scope}'`)
}

async function listeners(): Promise<number> {
  const rows = await ask(connectionString, `select 1 ${LISTENERS}`)
  return rows.length
}

describe('a listener', () => {
  it('is woken for the scope of a notification from any connection, and for none after it stopped', async () => {
    const { heard, stop } = await listen(connectionString)
    await notify('org/one')
    await notify('org/two')
    await expect.poll(() => heard, PATIENCE).toEqual(['org/one', 'org/two'])
    await stop()
    await expect.poll(listeners, PATIENCE).toBe(0)
    await notify('org/three')
    expect(heard).toEqual(['org/one', 'org/two'])
  })

  it('comes back after its connection died, and looks at everything, because it may have missed something', async () => {
    const { heard } = await listen(connectionString)
    await ask(connectionString, `select pg_terminate_backend(pid) ${LISTENERS}`)
    await expect.poll(() => heard, PATIENCE).toEqual(['*'])
    await notify('org/one')
    await expect.poll(() => heard, PATIENCE).toEqual(['*', 'org/one'])
  })

  it('notices a connection that looks alive and is not', async () => {
    const proxy = await silentProxy(connectionString)
    const { stop } = await listen(proxy.connectionString, fastClock)
    // The patience of the driver with its next attempt never ends, so only our own end can end it.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    proxy.fallSilent()
    await expect.poll(() => proxy.closedByClient(), PATIENCE).toBeGreaterThan(0)
    await expect.poll(() => proxy.opened(), PATIENCE).toBeGreaterThan(1)
    await stop()
  })

  it('waits for a server that is not there yet, and can be stopped meanwhile', async () => {
    const { heard, stop } = await listen('postgres://user:secret@127.0.0.1:1/nowhere')
    await stop()
    expect(heard).toEqual([])
  })
})
