import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { until } from '#test/cluster/until.ts'
import { openFolder } from '#test/postgres/folders.ts'

const LONG = { timeout: 480_000 }
/** Nothing listens there, so any use would fail. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing'

async function play(data: string, more: Readonly<Record<string, string>> = {}): Promise<ServeProcess> {
  const args = ['--replay', '--replay-seed', '11', '--replay-pace', '4s', '--data', data]
  const serving = await startServe(args, NO_DATABASE, more)
  onTestFinished(() => serving.stop('SIGKILL'))
  return serving
}

async function untilSaid({ said }: ServeProcess, pattern: RegExp): Promise<void> {
  const probe = async () => (pattern.test(said()) ? true : undefined)
  await until({ what: `the program to say ${pattern}`, timeoutMs: 90_000, probe, explain: async () => said() })
}

type Listed = { readonly uid: string; readonly pod: string; readonly cause: string; readonly missed: boolean }

/** A death is reported when the spool has it; the store follows. */
async function untilListed({ url, said }: ServeProcess, isMeant: (death: Listed) => boolean): Promise<Listed> {
  const probe = async () => (await deathsAt(url)).find(isMeant)
  return await until({ what: 'a death to be stored', timeoutMs: 90_000, probe, explain: async () => said() })
}

async function deathsAt(url: string): Promise<readonly Listed[]> {
  const { stdout } = await runInProcess(['deaths', '--server', url, '-o', 'json', '--limit', '1000'])
  return (JSON.parse(stdout) as { readonly deaths: readonly Listed[] }).deaths
}

/** A configured cluster and webhook that count their requests. */
async function realCluster(folder: string) {
  let visits = 0
  const server = createServer((_, response) => {
    visits += 1
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const kubeconfig = path.join(folder, 'kubeconfig')
  const url = `http://127.0.0.1:${port}`
  const cluster = { name: 'real', cluster: { server: url } }
  const context = { name: 'real', context: { cluster: 'real', user: 'real' } }
  const users = [{ name: 'real', user: {} }]
  const document = { clusters: [cluster], contexts: [context], users, 'current-context': 'real' }
  await writeFile(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...document }))
  return { kubeconfig, url, visits: () => visits }
}

describe('serve --replay, the program that npm start runs', () => {
  it('prints a banner, reports deaths in sentences, and names commands that work', LONG, async () => {
    const folder = await openFolder()
    const real = await realCluster(folder)
    const serving = await play(path.join(folder, 'data'), {
      KUBECONFIG: real.kubeconfig,
      SIGNALBOX_NOTIFY_WEBHOOK_URL: real.url,
    })
    expect(serving.said()).toContain('REPLAY')
    expect(serving.said()).toMatch(/not used +the cluster, the database, the notification channels \(configured\)/)
    expect(serving.said()).toContain('--replay-seed 11')
    await untilSaid(serving, /^\S+ {2}oom-container +The kernel killed /m)
    await untilSaid(serving, /a channel would send: /)
    const { pod, cause } = await untilListed(serving, (death) => death.cause === 'oom-container')
    const why = await runInProcess(['why', pod, '--server', serving.url])
    expect(why).toMatchObject({ code: 0, stdout: expect.stringContaining(cause) as string })
    const bundle = path.join(folder, 'death.tar.gz')
    expect(await runInProcess(['export', pod, '-o', bundle, '--server', serving.url])).toMatchObject({ code: 0 })
    const again = await runInProcess(['why', '--bundle', bundle])
    expect(again.stdout).toContain(cause)
    const metrics = await (await fetch(`${serving.url}/metrics`)).text()
    expect(metrics).toMatch(/^signalbox_deaths_total\{cause="oom-container",.*\} [1-9]/m)
    expect(Number(/^signalbox_watched_pods\S* (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(20)
    await serving.stop('SIGINT')
    expect(serving.said()).toMatch(/Stopped\.\n$/)
    expect(real.visits()).toBe(0)
  })

  it('finds the deaths of the previous run, and reports none of its pods as missed', LONG, async () => {
    const data = path.join(await openFolder(), 'data')
    const first = await play(data)
    await untilSaid(first, /oom-container/)
    await untilListed(first, ({ cause }) => cause === 'oom-container')
    const before = await deathsAt(first.url)
    await first.stop('SIGINT')
    const second = await play(data)
    await untilSaid(second, /oom-container/)
    const known = new Set(before.map(({ uid }) => uid))
    await untilListed(second, ({ uid, cause }) => cause === 'oom-container' && !known.has(uid))
    const after = await deathsAt(second.url)
    expect(after.map(({ uid }) => uid)).toEqual(expect.arrayContaining(before.map(({ uid }) => uid)))
    expect(after.length).toBeGreaterThan(before.length)
    expect(after.filter(({ missed }) => missed)).toEqual([])
    await second.stop('SIGINT')
  })

  it.each([
    ['--replay-seed', 'many'],
    ['--replay-pace', 'fast'],
    ['--replay-pace', '1ms'],
  ])('refuses %s %s', async (flag, value) => {
    const { code, stderr } = await runInProcess(['serve', '--replay', flag, value])
    expect(code).toBe(2)
    expect(stderr).toContain(flag)
  })
})
