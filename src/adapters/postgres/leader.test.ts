import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import type { FormerTerm } from '#/ports/store/leadership.ts'
import { ask } from '#test/postgres/ask.ts'
import { ownServer } from '#test/postgres/own-server.ts'
import { silentProxy } from '#test/postgres/silent-proxy.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { postgresLeadership } from './leader.ts'

const { connectionString } = await testDatabase()
/** Four times as fast as the machine's. */
const fastClock: Clock = { ...systemClock, sleep: async (ms, signal) => await systemClock.sleep(ms / 4, signal) }

type Changes = {
  clock?: Clock
  connectionString?: string
  otherLeads?: (holder: string) => void
  former?: FormerTerm
}

async function stand(name: string, holder: string, { former, ...changes }: Changes = {}) {
  const calledOff = new AbortController()
  const request = { connectionString, name, holder, clock: systemClock, ...changes }
  const campaign = postgresLeadership(request).campaign(calledOff.signal, former)
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
      and application_name = 'signalbox leader b' and query like 'select holder, epoch%'`
    await expect.poll(async () => await ask(connectionString, refused), { timeout: 60_000 }).toHaveLength(1)
    expect(await Promise.race([campaign, Promise.resolve('waiting')])).toBe('waiting')
    await first.resign()
    expect(await first.lost).toEqual({ kind: 'resigned', why: 'resigned' })
    const second = await campaign
    expect(second?.epoch).toBe(first.epoch + 1)
    const leases = await ask(connectionString, `select holder, epoch from leases where name = 'resign'`)
    expect(leases).toEqual([{ holder: 'b', epoch: '2' }])
  })

  it('is named to the one who waits for a while, once', async () => {
    await win('named', 'a')
    const named: string[] = []
    // A hundred times as fast as the machine's.
    const clock: Clock = { ...systemClock, sleep: async (ms, signal) => await systemClock.sleep(ms / 100, signal) }
    let asked = 0
    const counting: Clock = { ...clock, sleep: async (ms, signal) => ((asked += 1), await clock.sleep(ms, signal)) }
    await stand('named', 'b', { clock: counting, otherLeads: (holder) => void named.push(holder) })
    await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThan(100)
    expect(named).toEqual(['a'])
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
    expect(await first.lost).toEqual({ kind: 'unreachable', why: expect.stringMatching(/terminat/u) as string })
    expect((await campaign)?.epoch).toBe(2)
  })

  it('gives it up when the server no longer answers on a connection that looks alive', async () => {
    const proxy = await silentProxy(connectionString)
    const term = await win('silent', 'a', { clock: fastClock, connectionString: proxy.connectionString })
    proxy.fallSilent()
    expect(await term.lost).toEqual({
      kind: 'unreachable',
      why: expect.stringContaining('did not answer') as string,
    })
  })

  it('is looked for again by one whose connection goes silent while he waits', async () => {
    await win('silent wait', 'a')
    const proxy = await silentProxy(connectionString)
    await stand('silent wait', 'b', { connectionString: proxy.connectionString })
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'signalbox leader b'
      and query like 'select holder, epoch%'`
    await expect.poll(async () => await ask(connectionString, waiting), { timeout: 60_000 }).toHaveLength(1)
    proxy.fallSilent()
    await expect.poll(() => proxy.opened(), { timeout: 60_000 }).toBeGreaterThan(1)
  })

  it('gives it up when somebody else has written a newer epoch', async () => {
    // At the usual pace: in a quarter of the time a busy server may not answer, and he gives up for that.
    const term = await win('fenced', 'a')
    await ask(connectionString, `update leases set epoch = epoch + 1 where name = 'fenced'`)
    expect(await term.lost).toEqual({
      kind: 'replaced',
      why: expect.stringContaining('another epoch') as string,
    })
  })
})

describe('the leader who could not reach the server', { timeout: 120_000 }, () => {
  it('is not replaced by his own dead session that still has the lock, and leads again after it', async () => {
    const proxy = await silentProxy(connectionString)
    const first = await win('own session', 'a', { clock: fastClock, connectionString: proxy.connectionString })
    proxy.fallSilent()
    expect((await first.lost).kind).toBe('unreachable')
    const replaced: string[] = []
    const former = { epoch: first.epoch, replaced: (holder: string) => void replaced.push(holder) }
    const second = await win('own session', 'a', { former })
    expect([second.epoch, replaced]).toEqual([first.epoch + 1, []])
  })

  it('learns at once that another leads', async () => {
    const other = await win('taken', 'b')
    const replaced = Promise.withResolvers<string>()
    await stand('taken', 'a', { former: { epoch: other.epoch - 1, replaced: replaced.resolve } })
    expect(await replaced.promise).toBe('b')
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
