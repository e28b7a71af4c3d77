import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NodeAgent } from '#/ports/node-agents.ts'
import type { HostJournalWindow, JournalCopy } from '#/ports/this-host.ts'
import { freePorts } from '#test/cluster/free-port.ts'
import { agentIn, SECRET, startAgentsServer } from './agents-server.ts'
import type { AgentsServer, ServerPlan } from './agents-server.ts'
import { startAgent } from './agent-process.ts'
import type { AgentProcess } from './agent-process.ts'
import { makeCertificate } from './certificate.ts'
import { imitateJournal } from './imitated-journald.ts'
import type { ImitatedJournal, JournalPlan } from './imitated-journald.ts'

const UID = '0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const ID = 'ab'.repeat(32)
const POD = { uid: UID, containers: [{ name: 'runner', id: ID }] }
const { signal } = new AbortController()
const PATIENT = { timeout: 60_000, interval: 50 }

let folder: string
const stops: (() => PromiseLike<unknown>)[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-agent-'))
  await writeFile(join(folder, 'token'), SECRET)
  await mkdir(join(folder, 'cgroup'))
  await mkdir(join(folder, 'pods'))
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  await rm(folder, { recursive: true })
})

type Setup = {
  readonly server: AgentsServer
  readonly program: AgentProcess
  readonly agent: () => NodeAgent
  readonly journal: ImitatedJournal
}

function agentArgs(url: string, socket: string, more: readonly string[] = []): readonly string[] {
  const place = ['--cgroup-root', join(folder, 'cgroup'), '--pod-logs', join(folder, 'pods')]
  return [
    '--server',
    url,
    '--node',
    'n1',
    '--token-file',
    join(folder, 'token'),
    '--journal-socket',
    socket,
    ...place,
    ...more,
  ]
}

async function startServer(plan: ServerPlan = {}): Promise<AgentsServer> {
  const server = await startAgentsServer(plan)
  stops.push(() => server[Symbol.asyncDispose]())
  return server
}

function launch(args: readonly string[]): AgentProcess {
  const launched = startAgent(args)
  stops.push(() => launched.stop('SIGKILL'))
  return launched
}

/** The real program, with a real certificate. */
async function setUp(plan: JournalPlan & { readonly socket?: string; readonly port?: number } = {}): Promise<Setup> {
  const journal = await imitateJournal(folder, plan)
  stops.push(() => journal[Symbol.asyncDispose]())
  await journal.write(Date.now() - 3_600_000, 'an hour ago')
  const tls = await makeCertificate(folder, 'signalbox')
  const server = await startServer({ tls, port: plan.port ?? 0 })
  const args = agentArgs(server.url, plan.socket ?? journal.socket, ['--ca-file', tls.certFile])
  const launched = launch([...args, '--journalctl', journal.program])
  await vi.waitFor(() => expect(launched.said()).toContain('connected to the server'), PATIENT)
  return { server, program: launched, agent: () => agentIn(server, 'n1'), journal }
}

async function copied(
  agent: NodeAgent,
  since: number,
  about?: NonNullable<HostJournalWindow['about']>,
): Promise<JournalCopy & { readonly text: string }> {
  const copy = await agent.journal({ since, ...(about === undefined ? {} : { about }) }, signal)
  if (copy.kind === 'blind') throw new Error(copy.reason.detail)
  const chunks: Uint8Array[] = []
  for await (const chunk of copy.value.chunks) chunks.push(chunk)
  return { ...copy.value, text: Buffer.concat(chunks).toString() }
}

describe('the agent of a node', { timeout: 180_000 }, () => {
  it('reads a window of the journal, complete up to the line that it has just written', async () => {
    const { agent, journal } = await setUp()
    const before = Date.now()
    await journal.write(before, 'something died')
    const since = before - 60_000
    const { text, from, ending } = await copied(agent(), since)
    expect(text).toContain('something died')
    expect(text).toMatch(/"signalbox-agent","MESSAGE":"looking [0-9a-f-]{36}"/)
    expect(from).toBe(since)
    expect(ending()).toEqual({ to: expect.any(Number) as number, gaps: [] })
    expect(ending().to).toBeGreaterThanOrEqual(before)
  })

  it('claims completeness only up to the last line when the journal does not show what the agent writes', async () => {
    const { agent, journal } = await setUp({ isStuck: true })
    const last = Date.now() - 5000
    await journal.write(last, 'the last line')
    const { text, ending } = await copied(agent(), last - 60_000)
    expect(text).toContain('the last line')
    expect(ending()).toMatchObject({ to: last, gaps: [{ code: 'timeout' }] })
  })

  it('claims completeness only up to the last line when it cannot write to the journal', async () => {
    const { agent, journal } = await setUp({ socket: join('/nonexistent', 'socket') })
    const last = Date.now() - 5000
    await journal.write(last, 'the last line')
    const { ending } = await copied(agent(), last - 60_000)
    expect(ending()).toMatchObject({ to: last, gaps: [{ code: 'unreachable' }] })
  })

  it('is blind when the journal is empty and does not show what the agent writes', async () => {
    const { agent, journal } = await setUp({ isStuck: true })
    await journal.forget()
    expect(await agent().journal({ since: 0 }, signal)).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported' },
    })
  })

  it('reads a journal that is too large around the death, never cut at its end, and says what is left out', async () => {
    const { agent, journal } = await setUp()
    const at = Date.now()
    const filler = 'x'.repeat(512 * 1024)
    for (let part = 40; part > 0; part -= 1) {
      await journal.write(at - part * 60_000, `${part} ${filler}`, { SYSLOG_IDENTIFIER: 'other-program' })
      await journal.write(at - part * 60_000, `kubelet at ${part}`)
    }
    await journal.write(at, 'the end')
    const about = { uid: UID, containerIds: [ID], at }
    const { text, from, ending } = await copied(agent(), at - 3_600_000, about)
    expect(text.length).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect([...text.matchAll(/kubelet at (\d+)/g)]).toHaveLength(40)
    expect(text).toContain('"the end"')
    expect(text).toContain('"MESSAGE":"1 xx')
    expect(text).not.toContain('"MESSAGE":"40 xx')
    expect(from).toBe(at - 3_600_000)
    expect(ending()).toEqual({
      to: expect.any(Number) as number,
      gaps: [
        { code: 'too-large', detail: expect.stringMatching(/\d+ lines \([\d.]+ MiB\) of programs other/) as string },
      ],
    })
    expect(ending().to).toBeGreaterThanOrEqual(at)
  })

  it('reads the journal once for fifty deaths, each with its own lines', async () => {
    const { agent, journal } = await setUp()
    const at = Date.now()
    const uids = Array.from({ length: 50 }, (_, index) => UID.replace(/^.{8}/, String(index).padStart(8, '0')))
    for (const uid of uids) await journal.write(at, `killing pod "${uid}"`)
    await journal.write(at, 'of nobody')
    const before = await journal.reads()
    const texts = await Promise.all(
      uids.map(async (uid) => (await copied(agent(), at - 60_000, { uid, containerIds: [], at })).text),
    )
    expect((await journal.reads()) - before).toBe(1)
    for (const [index, text] of texts.entries()) {
      expect([...text.matchAll(/killing pod \\"([^\\]+)/g)].map(([, uid]) => uid)).toEqual([uids[index]])
      expect(text).toContain('of nobody')
    }
  })

  it('returns the files of the machine in one answer', async () => {
    const { agent } = await setUp()
    const host = agent()
    expect(await host.file('proc/sys/fs/file-nr', signal)).toMatchObject({ kind: 'seen' })
    expect(await host.file('df', signal)).toMatchObject({ kind: 'seen' })
  })

  it('returns the counters of a pod, and the last copy after the pod is gone', async () => {
    const { agent, server } = await setUp()
    const cgroup = join(folder, 'cgroup', 'memory', `pod${UID}`)
    await writeIn(join(cgroup, ID, 'memory.failcnt'), '3\n')
    await writeIn(join(cgroup, 'memory.failcnt'), '4\n')
    expect(await agent().cgroups(POD, signal)).toEqual({
      kind: 'seen',
      value: [
        { container: null, files: new Map([['memory.failcnt', '4\n']]) },
        { container: 'runner', files: new Map([['memory.failcnt', '3\n']]) },
      ],
    })
    expect(await agent().cgroups({ uid: 'other', containers: [] }, signal)).toEqual({ kind: 'none' })
    server.registry.watch([{ node: 'n1', ...POD }])
    await vi.waitFor(async () => expect((await heldBy(server))?.limitHits).toBe(3), PATIENT)
    await rm(cgroup, { recursive: true })
    const read = await agent().cgroups(POD, signal)
    expect(read).toMatchObject({
      value: [{ container: null }, { container: 'runner', readAt: expect.any(Number) as number }],
    })
  })

  it('keeps the logs of runner pods after the pods are gone', async () => {
    const { agent, server } = await setUp()
    const log = join(folder, 'pods', `ns_pod_${UID}`, 'runner', '0.log')
    await writeIn(log, '2026-11-16T07:00:00Z stdout F first\n')
    server.registry.watch([{ node: 'n1', ...POD }])
    const request = { uid: UID, tailBytes: 1000 }
    await vi.waitFor(async () => expect(await agent().logs(request, signal)).toMatchObject({ kind: 'seen' }), PATIENT)
    await appendFile(log, '2026-11-16T07:00:01Z stdout F last\n')
    await rm(join(folder, 'pods', `ns_pod_${UID}`), { recursive: true })
    const text = '2026-11-16T07:00:00Z first\n2026-11-16T07:00:01Z last\n'
    expect(await agent().logs(request, signal)).toEqual({
      kind: 'seen',
      value: [{ container: 'runner', previous: false, text, cut: false }],
    })
  })

  it('reconnects after a server outage, ends on SIGTERM, and is then reported as missing', async () => {
    // Reserved, so that the system does not give it to others while nobody listens on it.
    const [port = 0] = await freePorts(1)
    const first = await setUp({ port })
    await first.server[Symbol.asyncDispose]()
    await vi.waitFor(() => expect(first.program.said()).toContain('cannot reach the server'), PATIENT)
    const certFile = join(folder, 'signalbox.crt')
    const tls = { certFile, keyFile: join(folder, 'signalbox.key') }
    const again = await startServer({ tls, port })
    await vi.waitFor(() => agentIn(again, 'n1'), PATIENT)
    expect(await first.program.stop('SIGTERM')).toBe(0)
    expect(first.program.said()).toContain('Stopped.')
    await vi.waitFor(() => expect(again.registry.of('n1')).toMatchObject({ reason: { code: 'unreachable' } }), PATIENT)
  })

  it('sends no token to a server whose certificate it does not trust', async () => {
    const own = await makeCertificate(folder, 'signalbox')
    const other = await makeCertificate(folder, 'other')
    const server = await startServer({ tls: own })
    const launched = launch(agentArgs(server.url, '/nonexistent', ['--ca-file', other.certFile]))
    await vi.waitFor(() => expect(launched.said()).toContain('TLS: the certificate is not trusted'), PATIENT)
    expect(server.registry.of('n1')).toMatchObject({ reason: { code: 'not-asked' } })
  })

  it('logs why it is refused, and reads a new token from its file', async () => {
    await writeFile(join(folder, 'token'), 'a-token-that-nobody-knows-here')
    const server = await startServer()
    const launched = launch(agentArgs(server.url, '/nonexistent'))
    await vi.waitFor(() => expect(launched.said()).toContain('the server answered 403'), PATIENT)
    await writeFile(join(folder, 'token'), SECRET)
    await vi.waitFor(() => agentIn(server, 'n1'), PATIENT)
  })

  it.each([
    [['--node', 'n1'], '--server is required'],
    [['--server', 'http://10.0.0.1:8080', '--node', 'n1'], 'in plain text'],
    [['--server', 'ftp://x', '--node', 'n1'], 'is not a URL'],
    [['--server', 'https://u:p@x', '--node', 'n1'], 'must not contain credentials'],
    [['--server', 'http://127.0.0.1:1'], '--node is required'],
    [['--server', 'http://127.0.0.1:1', '--node', 'A B'], 'not a valid node name'],
    [['--server', 'http://127.0.0.1:1', '--node', 'n1', '--token-file', '/nonexistent'], 'does not exist'],
    [['--server', 'http://127.0.0.1:1', '--node', 'n1', '--ca-file', '/dev/null'], 'contains no certificate'],
  ])('refuses %j and says why', async (args, why) => {
    const withToken = args.includes('--token-file') ? args : [...args, '--token-file', join(folder, 'token')]
    const launched = startAgent(withToken)
    await vi.waitFor(() => expect(launched.said()).toContain(why), PATIENT)
    expect(await launched.ended).toBe(2)
  })
})

/** The gauge that the agent sent last. */
async function heldBy(server: AgentsServer): Promise<{ readonly limitHits: number } | null> {
  const value = /runner_memory_limit_hits\{node="n1"\} (\d+)/.exec(server.exposed())?.[1]
  return value === undefined ? null : { limitHits: Number(value) }
}

async function writeIn(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
