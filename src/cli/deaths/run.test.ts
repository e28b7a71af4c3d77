import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'
import { until } from '#test/cluster/until.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'

const BURST = 1200

let server: RecordedServer
let watching: ChildProcess | null
let [printed, said] = ['', '']
beforeEach(async () => {
  server = await serveRecorded([{ pod: 'latest' }, { pod: 'before' }, { pod: 'long-ago' }])
  watching = null
  ;[printed, said] = ['', '']
})
afterEach(async () => {
  watching?.kill('SIGKILL')
  await server[Symbol.asyncDispose]()
})

function watch(...args: readonly string[]): ChildProcess {
  const all = ['deaths', '--watch', '-o', 'json', '--server', server.url, ...args]
  const child = spawn(launcher, all, { cwd: repository, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  watching = child
  return child
}

const printedPods = (): readonly string[] =>
  printed
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { pod: string }).pod)

const untilPrinted = (pod: string): Promise<true> =>
  until({
    what: `to print ${pod}`,
    timeoutMs: 60_000,
    probe: async () => printedPods().includes(pod) || undefined,
    explain: async () => `${printed}${said}`,
  })

const justNow = (pod: string) => ({ pod, diedAt: Date.now(), recordedAt: Date.now() })

describe('signalbox deaths --watch', () => {
  it('starts with the latest, up to the limit, and continues with new deaths', async () => {
    const child = watch('--limit', '1')
    await untilPrinted('latest')
    await server.record(justNow('new'))
    await untilPrinted('new')
    child.kill('SIGINT')
    await once(child, 'close')
    expect(printedPods()).toEqual(['latest', 'new'])
  })

  it('prints all deaths of one second, over several pages, recorded in any order', async () => {
    watch()
    await untilPrinted('latest')
    const diedAt = Date.now()
    const burst = Array.from({ length: BURST }, (_, index) => `burst-${String(index).padStart(4, '0')}`)
    for (const parity of [0, 1]) {
      for (const uid of burst.filter((_, index) => index % 2 === parity)) {
        await server.record({ uid, pod: uid, diedAt, recordedAt: Date.now() })
      }
      for (const pod of burst.filter((_, index) => index % 2 === parity)) await untilPrinted(pod)
    }
    expect(printedPods().toSorted()).toEqual(['before', ...burst, 'latest', 'long-ago'])
  })

  it('prints a death without any guess', async () => {
    watch()
    await untilPrinted('latest')
    const verdict = { cause: 'unknown', kind: 'unknown', confidence: 0, rules: '1', judgedAt: 1 }
    await server.record({ ...justNow('riddle'), verdict: { ...verdict, document: { sentence: 'Nobody knows.' } } })
    expect(await untilPrinted('riddle')).toBe(true)
  })

  it('says that the server stopped answering', async () => {
    watch()
    await untilPrinted('latest')
    await server[Symbol.asyncDispose]()
    const isSaid = async (): Promise<true | undefined> => /no server answers at .* will retry/.test(said) || undefined
    const wanted = { what: 'a word about the server', timeoutMs: 60_000, probe: isSaid, explain: async () => said }
    expect(await until(wanted)).toBe(true)
    server = await serveRecorded([])
  })
})

describe('signalbox deaths of an unjudged death', () => {
  it('shows pending in the table, and unknown to programs', async () => {
    await server.record({ ...justNow('fresh'), verdict: null })
    const asked = ['deaths', '--limit', '1', '--server', server.url]
    expect((await runInProcess(asked)).stdout).toMatch(/\d[smh] +fresh +n1 +pending +- +-\n$/)
    const table = await runInProcess([...asked, '--wide'])
    expect(table.stdout).toMatch(
      /runners\/fresh .* pending +- +- +It is recorded and not judged yet; recorded \S+Z\.\n$/,
    )
    const { stdout } = await runInProcess([...asked, '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ deaths: [{ cause: 'unknown', confidence: 0 }] })
  })
})

describe('signalbox deaths in a burst', () => {
  it('says how far the judging has come since the first one that is not judged', async () => {
    const asked = ['deaths', '--server', server.url]
    expect((await runInProcess(asked)).stderr).toBe('')
    const from = Date.now()
    for (let index = 0; index < 5; index += 1) {
      const times = { diedAt: from + index, recordedAt: from + index }
      await server.record({ pod: `burst-${index}`, ...times, ...([1, 4].includes(index) ? { verdict: null } : {}) })
    }
    const { stdout, stderr } = await runInProcess(asked)
    expect(stderr).toBe('judging 2 of 4 deaths done; what the others wait for: --wide\n')
    expect(stdout).not.toContain('judging')
  })
})

describe('the table of deaths', () => {
  it('fits 120 columns whatever the names are, with the ends of names, and has all of them with --wide', async () => {
    const long = { pod: `linux-${'x'.repeat(200)}-runner-7hn4d`, node: `gke-${'y'.repeat(200)}-q2lm`, pool: 'p' }
    const document = { sentence: 'It was killed.', actor: `system:serviceaccount:platform:${'z'.repeat(200)}-reaper` }
    const verdict = {
      cause: 'completion-handshake-lost',
      kind: 'death',
      confidence: 1,
      rules: '1',
      judgedAt: 1,
      document,
    }
    await server.record({ ...justNow('x'), ...long, verdict })
    const asked = ['deaths', '--limit', '1', '--server', server.url]
    const { stdout } = await runInProcess(asked)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(stdout).toMatch(/…\S*-runner-7hn4d +\S+-q2lm +completion-handshake-lost +100 % +\S+-reaper\n$/)
    const wide = await runInProcess([...asked, '--wide'])
    for (const text of [long.pod, long.node, document.actor, 'It was killed.']) expect(wide.stdout).toContain(text)
  })
})

describe('signalbox deaths --since', () => {
  it('accepts a time before 1970', async () => {
    const ran = await runInProcess(['deaths', '--since', '99999d', '--limit', '1', '--server', server.url])
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })
})
