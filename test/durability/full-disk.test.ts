import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import { openGatedDatabase } from './gated-database.ts'
import { keepDying, untilSaid } from './outage.ts'
import { startSimulatedCluster } from './simulated-cluster.ts'
import { mountSmallDisk } from './small-disk.ts'

const { connectionString } = await testDatabase()
const PATIENCE = { timeout: 120_000, interval: 200 }
const PER_SECOND = 20

it.runIf(hasRootFor('/readyz with a full disk'))(
  '/readyz and the metrics say that the disk is full, as long as it is',
  { timeout: 400_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-full-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const disk = await mountSmallDisk(folder)
    onTestFinished(() => disk[Symbol.asyncDispose]())
    const database = await openGatedDatabase(connectionString)
    onTestFinished(() => database[Symbol.asyncDispose]())
    const cluster = await startSimulatedCluster()
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    const serve = await startServe(['--kubeconfig', cluster.kubeconfig, '--data', disk.path], database.connectionString)
    onTestFinished(() => serve.stop('SIGKILL'))
    await untilSaid(serve, 'watching runner pods')
    const read = async (path: string) => {
      const answer = await fetch(`${serve.url}${path}`, { headers: { connection: 'close' } })
      return { status: answer.status, text: await answer.text() }
    }
    const isFull = async (): Promise<string | undefined> =>
      /^signalbox_spool_full (\d)$/m.exec((await read('/metrics')).text)?.[1]
    const ready = await read('/readyz?verbose')
    // The disk is a small one; that is a note.
    expect([ready.status, ready.text, await isFull()]).toEqual([200, expect.stringContaining('[+] spool ok'), '0'])

    database.gate.cut()
    const dying = keepDying(cluster, 'full', PER_SECOND)
    await vi.waitFor(async () => {
      const { status, text } = await read('/readyz')
      expect([status, text]).toEqual([503, expect.stringMatching(/^\[-\] spool: .*(?:ENOSPC|in memory only)/m)])
      expect(await isFull()).toBe('1')
    }, PATIENCE)
    const died = await dying.stop()
    expect(died.length).toBeGreaterThan(0)

    await rm(disk.other)
    database.gate.restore()
    await vi.waitFor(async () => {
      const { status, text } = await read('/readyz?verbose')
      expect([status, text]).toEqual([200, expect.stringContaining('[+] spool ok')])
      expect(await isFull()).toBe('0')
    }, PATIENCE)
  },
)
