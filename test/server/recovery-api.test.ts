import { describe, expect, it } from 'vitest'
import { memoryStore, openMemoryStore } from '#/adapters/memory/store.ts'
import { listAt, textAt } from '#/core/basics/fields.ts'
import { LOOP_IDS } from '#/core/recovery/recovery.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { Clock } from '#/ports/clock.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { storedBreakers } from '#/runtime/dispatch/breakers.ts'
import { createApp } from '#/server/app.ts'
import { breakersApi } from '#/server/recovery/breakers.ts'
import { recoverApi } from '#/server/recovery/recover.ts'
import type { RecoverOptions } from '#/server/recovery/recover.ts'
import { listen } from '#/server/listen.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { startRig } from '#test/recovery/rig.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { admitAll, openGuards } from '#test/server/open-guards.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'

const KEY = 'repository/acme/app'

async function serveApi(dryRun: RecoverOptions['dryRun'] = null, clock: Pick<Clock, 'now'> = createHandClock()) {
  const metrics = createMetrics()
  const breakers = storedBreakers({ breakers: memoryStore().breakers, clock, metrics })
  const log = { info: () => {}, error: () => {} }
  const shared = { guards: openGuards, clock, admit: admitAll, log }
  const routes = [
    { path: '/v1/breakers', handler: breakersApi({ ...shared, breakers }) },
    { path: '/v1/recover', handler: recoverApi({ ...shared, dryRun }) },
  ]
  const app = createApp({ version: '1', metrics, readiness: [], log, routes })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, null)
  if (listening.kind === 'refused') throw new Error(listening.why)
  const { url } = listening
  const cli = async (...args: readonly string[]) => await runInProcess([...args, '--server', url])
  const ask = async (path: string, method = 'GET') => await askChecked(app, path, { method })
  return { cli, ask, breakers, [Symbol.asyncDispose]: listening.close }
}

describe('signalbox breakers', () => {
  it('lists what is open and why, and resets it', async () => {
    await using server = await serveApi()
    for (let time = 0; time < 3; time += 1) await server.breakers.failed(KEY, 'GitHub answered 404')
    expect((await server.ask('/v1/breakers')).status).toBe(200)
    const listed = await server.cli('breakers', 'list')
    expect(listed.stdout).toMatch(/repository\/acme\/app +open +3 .*GitHub answered 404/u)
    const reset = await server.cli('breakers', 'reset', KEY)
    expect([reset.code, reset.stdout]).toEqual([EXIT.ok, `The breaker ${KEY} is closed.\n`])
    expect(await server.breakers.isOpen(KEY)).toBeNull()
    expect((await server.cli('breakers', 'reset', KEY)).code).toBe(EXIT.failed)
  })

  it('says that there are none', async () => {
    await using server = await serveApi()
    expect((await server.cli('breakers', 'list')).stdout).toContain('Nothing has failed')
    expect((await server.ask('/v1/breakers/reset', 'POST')).status).toBe(400)
    expect((await server.ask('/v1/breakers/reset?key=x', 'POST')).status).toBe(404)
  })
})

describe('signalbox recover', () => {
  it('shows what is stuck, what proves it and what would be done', async () => {
    await using rig = await startRig(openMemoryStore())
    const { job } = await rig.dispatch('a')
    rig.clock.advance(300_000)
    await using server = await serveApi(async () => await rig.dryRun(), rig.clock)
    expect((await server.ask('/v1/recover?dryRun=true')).status).toBe(200)
    const table = await server.cli('recover', '--dry-run')
    expect(table.stdout).toContain(`Job ${job}`)
    expect(table.stdout).toContain('would act')
    const wide = await server.cli('recover', '--dry-run', '-o', 'wide')
    expect(wide.stdout).toContain('holds  github-job: GitHub still reports it queued')
    const document = JSON.parse((await server.cli('recover', '--dry-run', '-o', 'json')).stdout) as unknown
    const loops = listAt(document, 'loops')
    expect(loops.map((loop) => textAt(loop, 'loop'))).toEqual(LOOP_IDS)
    expect(loops.flatMap((loop) => listAt(loop, 'candidates'))).toMatchObject([
      { loop: 'unregistered-runners', act: 'return-job', decision: 'would-remove', decidedBy: null, sinceSeconds: 300 },
    ])
    expect(await rig.job(job)).toMatchObject({ state: 'minted' })
  })

  it('is refused without --dry-run, with a loop that is not known, and where there are no pools', async () => {
    await using server = await serveApi()
    expect((await server.cli('recover')).code).toBe(EXIT.usage)
    expect((await server.cli('recover', 'everything', '--dry-run')).code).toBe(EXIT.usage)
    expect((await server.cli('recover', '--dry-run')).code).toBe(EXIT.failed)
    expect((await server.ask('/v1/recover')).status).toBe(400)
    expect((await server.ask('/v1/recover?dryRun=true&loops=x')).status).toBe(400)
    expect((await server.ask('/v1/recover?dryRun=true')).status).toBe(409)
  })
})
