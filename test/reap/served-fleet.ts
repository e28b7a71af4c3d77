import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ledger } from '#/ports/store/ledger.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { startLedgerProxy } from './ledger-proxy.ts'
import type { LedgerProxy } from './ledger-proxy.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

export const OFFLINE = 'linux-x64-462sz-runner-2ltbc'

/** A fleet with an offline runner, and the real `signalbox serve` that has its ledger. */
export type ServedFleet = {
  readonly fleet: SimulatedFleet
  readonly serve: ServeProcess
  readonly proxy: LedgerProxy
  readonly ledger: Ledger
  /** Another one on the same database, behind the same proxy. */
  readonly startAgain: () => Promise<void>
}

export async function serveFleet(database: string): Promise<ServedFleet> {
  const fleet = await startFleet()
  fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
  const { store, close } = openPostgresStore(database)
  onTestFinished(close)
  const start = async (): Promise<ServeProcess> => {
    const serve = await startServe(['--data', join(fleet.folder, 'serve')], database)
    // Does nothing to one that was killed.
    onTestFinished(() => serve.stop('SIGKILL'))
    return serve
  }
  const serve = await start()
  const proxy = await startLedgerProxy(serve.url)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const startAgain = async (): Promise<void> => {
    proxy.target = (await start()).url
  }
  return { fleet, serve, proxy, ledger: store.ledger, startAgain }
}
