import { execFileSync } from 'node:child_process'
import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { until } from '#test/cluster/until.ts'
import { openFolder } from '#test/postgres/folders.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'

type Listed = { readonly deaths: readonly { readonly uid: string; readonly pod: string; readonly cause: string }[] }

/** `serve` on the recorded cluster; its store is in the folder `replay` of its data folder. */
async function play(data: string, pace: string): Promise<ServeProcess> {
  const args = ['--replay', '--replay-seed', '11', '--replay-pace', pace, '--data', data]
  const serving = await startServe(args, 'postgres://nobody@127.0.0.1:1/nothing')
  onTestFinished(() => serving.stop('SIGKILL'))
  return serving
}

async function deathsAt(url: string): Promise<Listed['deaths']> {
  const { stdout } = await runInProcess(['deaths', '--server', url, '-o', 'json', '--limit', '1000'])
  return (JSON.parse(stdout) as Listed).deaths
}

/** The server that a killed `serve` leaves; here it goes down with its machine. */
async function killServer(data: string): Promise<void> {
  const note = await readFile(join(data, 'replay', 'postgres', 'data', 'postmaster.pid'), 'utf8')
  process.kill(Number(note.split('\n')[0]), 'SIGKILL')
}

async function explain(url: string, death: Listed['deaths'][number], bundle: string) {
  const why = await runInProcess(['why', death.uid, '--store', '--server', url, '-o', 'json'])
  const exported = await runInProcess(['export', death.uid, '-o', bundle, '--server', url])
  const again = await runInProcess(['why', '--bundle', bundle, '-o', 'json'])
  expect(exported).toMatchObject({ code: 0 })
  return { why: why.stdout, again: again.stdout }
}

it(
  'after a backup, kill -9 and a restore elsewhere there are the same deaths with the same verdicts and evidence',
  {
    timeout: 600_000,
  },
  async () => {
    const folder = await openFolder()
    const backup = join(folder, 'store.tar.gz')
    const first = await play(join(folder, 'a'), '4s')
    const judged = await until({
      what: 'a judged death',
      timeoutMs: 120_000,
      probe: async () => (await deathsAt(first.url)).find(({ cause }) => cause === 'oom-container'),
      explain: async () => first.said(),
    })
    const saved = await runInProcess(['store', 'backup', backup, '--data', join(folder, 'a', 'replay'), '-o', 'json'])
    expect(saved).toMatchObject({ code: 0 })
    const before = await explain(first.url, judged, join(folder, 'death.tar.gz'))
    await first.stop('SIGKILL')
    await killServer(join(folder, 'a'))
    // As on another machine: nothing of the former folder can be used.
    await rename(join(folder, 'a'), join(folder, 'lost'))

    expect((await runInProcess(['store', 'verify', backup])).code).toBe(0)
    const restored = await runInProcess([
      'store',
      'restore',
      backup,
      '--data',
      join(folder, 'b', 'replay'),
      '-o',
      'json',
    ])
    expect(restored).toMatchObject({ code: 0 })
    expect(JSON.parse(restored.stdout)).toMatchObject({
      tables: (JSON.parse(saved.stdout) as object & { tables: object }).tables,
    })
    const second = await play(join(folder, 'b'), '60s')
    const found = (await deathsAt(second.url)).find(({ uid }) => uid === judged.uid)
    expect(found).toEqual(judged)
    const after = await explain(second.url, judged, join(folder, 'death-restored.tar.gz'))
    const nameless = (text: string) => text.replaceAll('death-restored.tar.gz', 'death.tar.gz')
    expect(nameless(after.again)).toBe(before.again)
    expect(after.why).toBe(before.why)
    const unpack = (bundle: string) => execFileSync('tar', ['-xzOf', join(folder, bundle)]).toString('latin1')
    expect(unpack('death-restored.tar.gz')).toBe(unpack('death.tar.gz'))
    const used = await runInProcess(['store', 'restore', backup, '--data', join(folder, 'b', 'replay')])
    expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('is using the data folder')])
    await second.stop('SIGINT')
    // Nothing runs now: the database is started for the time of the backup.
    const last = await runInProcess([
      'store',
      'backup',
      join(folder, 'b.tar.gz'),
      '--data',
      join(folder, 'b', 'replay'),
    ])
    expect(last).toMatchObject({ code: 0 })
    expect(await readdir(join(folder, 'b', 'replay', 'postgres', 'data'))).not.toContain('postmaster.pid')
  },
)
