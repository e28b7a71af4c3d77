import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import { ask } from '#test/postgres/ask.ts'
import { ownServer } from '#test/postgres/own-server.ts'
import { silentProxy } from '#test/postgres/silent-proxy.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { postgresLeadership } from './leader.ts'

const { connectionString } = await testDatabase()
/** Four times as fast as the machine's. */
const fastClock: Clock = { ...systemClock, sleep: async (ms, signal) => await systemClock.sleep(ms / 4, signal) }

async function stand(name: string, holder: string, changes: { clock?: Clock; connectionString?: string } = {}) {
  const calledOff = new AbortController()
  const request = { connectionString, name, holder, clock: systemClock, ...changes }
  const campaign = postgresLeadership(request).campaign(calledOff.signal)
  onTestFinished(async () => {
    calledOff.abort()
    await (await campaign)?.resign()
  })
  return { calledOff, campaign }
}

async function win(...args: Parameters<typeof stand>) {
  const { campaign } = await stand(...args)
  const term = await campaign
  if (term === null) throw new Error('the campaign was called off')
  return term
}

function candidate(name: string) {
  const program = join(process.cwd(), 'test', 'postgres', 'candidate.ts')
  const request = JSON.stringify({ connectionString, name, holder: 'process' })
  const child = spawn(process.execPath, [program, request], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

describe('the leader', { timeout: 120_000 }, () => {
  it('is one of those who stand, and the next one when he resigns', async () => {
    const first = await win('resign', 'a')
    const { campaign } = await stand('resign', 'b')
    // He has asked for the lock, and was not given it.
    const refused = `select 1 from pg_stat_activity where datname = current_database() and state = 'idle'
      and application_name = 'signalbox leader b' and query like 'select pg_try_advisory_lock%'`
    await expect.poll(async () => await ask(connectionString, refused), { timeout: 60_000 }).toHaveLength(1)
    expect(await Promise.race([campaign, Promise.resolve('waiting')])).toBe('waiting')
    await first.resign()
    expect(await first.lost).toBe('resigned')
    const second = await campaign
    expect(second?.epoch).toBe(first.epoch + 1)
    const leases = await ask(connectionString, `select holder, epoch from leases where name = 'resign'`)
    expect(leases).toEqual([{ holder: 'b', epoch: '2' }])
  })

  it('of one thing is not in the way of the leader of another', async () => {
    const [one, other] = await Promise.all([win('one', 'a'), win('other', 'b')])
    expect([one.epoch, other.epoch]).toEqual([1, 1])
  })

  it('is not elected when the campaign is called off', async () => {
    await win('called off', 'a')
    const { calledOff, campaign } = await stand('called off', 'b')
    calledOff.abort()
    expect(await campaign).toBeNull()
  })

  it('is replaced when his process is killed', async () => {
    const { child, lines } = candidate('killed')
    expect(await lines.next()).toMatchObject({ value: 'elected 1' })
    const { campaign } = await stand('killed', 'b')
    child.kill('SIGKILL')
    expect((await campaign)?.epoch).toBe(2)
  })

  it('is replaced when his process hangs, and knows it when he goes on', async () => {
    const { child, lines } = candidate('hung')
    expect(await lines.next()).toMatchObject({ value: 'elected 1' })
    child.kill('SIGSTOP')
    const { campaign } = await stand('hung', 'b')
    expect((await campaign)?.epoch).toBe(2)
    child.kill('SIGCONT')
    expect((await lines.next()).value).toMatch(/^lost /u)
  })

  it('knows that he lost it when his connection dies, and another takes over', async () => {
    const first = await win('terminated', 'a')
    const { campaign } = await stand('terminated', 'b')
    await ask(
      connectionString,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'signalbox leader a'
         and datname = current_database() and pid in (select pid from pg_locks where locktype = 'advisory')`,
    )
    expect(await first.lost).toMatch(/terminat/u)
    expect((await campaign)?.epoch).toBe(2)
  })

  it('gives it up when the server no longer answers on a connection that looks alive', async () => {
    const proxy = await silentProxy(connectionString)
    const term = await win('silent', 'a', { clock: fastClock, connectionString: proxy.connectionString })
    proxy.fallSilent()
    expect(await term.lost).toContain('did not answer')
  })

  it('gives it up when somebody else has written a newer epoch', async () => {
    // At the usual pace: in a quarter of the time a busy server may not answer, and he gives up for that.
    const term = await win('fenced', 'a')
    await ask(connectionString, `update leases set epoch = epoch + 1 where name = 'fenced'`)
    expect(await term.lost).toContain('another epoch')
  })
})

describe('the leader on a server that restarts', { timeout: 120_000 }, () => {
  const server = ownServer()
  beforeAll(async () => {
    await ask(
      server.connectionString,
      'create table leases (name text primary key, holder text not null, epoch bigint not null, renewed_at bigint not null)',
    )
  })

  it.each(['SIGINT', 'SIGKILL'] as const)('loses it by %s, and one is elected after it', async (by) => {
    const first = await win(by, 'a', { connectionString: server.connectionString })
    const { campaign } = await stand(by, 'b', { connectionString: server.connectionString })
    await server.restart(by)
    await first.lost
    expect((await campaign)?.epoch).toBe(2)
  })
})
