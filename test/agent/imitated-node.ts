import { readFileSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { runOrThrow } from '#test/cluster/command.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import { startAgent } from './agent-process.ts'
import type { AgentProcess } from './agent-process.ts'
import { agentIn, SECRET, startAgentsServer } from './agents-server.ts'
import type { AgentsServer } from './agents-server.ts'
import { imitateJournal } from './imitated-journald.ts'
import type { ImitatedJournal } from './imitated-journald.ts'

export const NODE = 'n1'
export const PATIENT = { timeout: 120_000, interval: 50 }

/** A node with log files, a journal and a state folder, and a server that its agent polls. */
export type ImitatedNode = AsyncDisposable & {
  /** The newest. */
  readonly server: AgentsServer
  /** Its agents cannot reach it; resolves with what starts one at the same address. */
  readonly stopServer: () => Promise<() => Promise<void>>
  readonly journal: ImitatedJournal
  readonly state: string
  readonly agent: () => NodeAgent
  /** Starts the real program; resolves when the server knows this run of it. */
  readonly start: () => Promise<AgentProcess>
  readonly writeLog: (uid: string, text: string) => Promise<void>
  readonly writeCounter: (uid: string, text: string) => Promise<void>
  /** As the kubelet does with a pod that is gone. */
  readonly removePod: (uid: string) => Promise<void>
  readonly spooled: () => Promise<readonly string[]>
  /** As the agent has reported it last; null where it has not. */
  readonly gauge: (name: string) => number | null
}

export type NodePlan = {
  /** Of a disk of its own for the state folder: it needs root. */
  readonly stateBytes?: number
}

export const podOf = (uid: string) => ({ node: NODE, uid, containers: [{ name: 'runner', id: `c${uid}` }] })

export async function imitateNode({ stateBytes }: NodePlan = {}): Promise<ImitatedNode> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-node-'))
  const at = (name: string): string => join(folder, name)
  await writeFile(at('token'), SECRET)
  for (const name of ['cgroup', 'pods', 'state']) await mkdir(at(name))
  if (stateBytes !== undefined) {
    await runOrThrow('mount', ['-t', 'tmpfs', '-o', `size=${stateBytes}`, 'tmpfs', at('state')])
  }
  const journal = await imitateJournal(folder)
  await journal.write(Date.now() - 7_200_000, 'two hours ago')
  let server = await startAgentsServer()
  const running = new Set<AgentProcess>()
  const place = ['--server', server.url, '--node', NODE, '--token-file', at('token'), '--state', at('state')]
  const sources = ['--journalctl', journal.program, '--journal-socket', journal.socket]
  const folders = ['--cgroup-root', at('cgroup'), '--pod-logs', at('pods')]
  const logFolder = (uid: string): string => join(at('pods'), `ns_pod-${uid}_${uid}`, 'runner')
  const cgroup = (uid: string): string => join(at('cgroup'), 'memory', `pod${uid}`, `c${uid}`)
  return {
    get server() {
      return server
    },
    stopServer: async () => {
      const port = Number(new URL(server.url).port)
      await server[Symbol.asyncDispose]()
      return async () => {
        server = await startAgentsServer({ port })
      }
    },
    journal,
    state: at('state'),
    agent: () => agentIn(server, NODE),
    start: async () => {
      const known = server.lines.filter(([message]) => message === 'agent connected').length
      const launched = startAgent([...place, ...sources, ...folders])
      running.add(launched)
      await vi.waitFor(() => {
        const now = server.lines.filter(([message]) => message === 'agent connected').length
        if (now <= known) throw new Error(`no agent: ${launched.said()}`)
      }, PATIENT)
      return launched
    },
    writeLog: async (uid, text) => {
      await mkdir(logFolder(uid), { recursive: true })
      await appendFile(join(logFolder(uid), '0.log'), text)
    },
    writeCounter: async (uid, text) => {
      await mkdir(cgroup(uid), { recursive: true })
      await writeFile(join(cgroup(uid), 'memory.failcnt'), text)
    },
    removePod: async (uid) => {
      await rm(join(cgroup(uid), '..'), { recursive: true, force: true })
      await rm(join(logFolder(uid), '..'), { recursive: true, force: true })
    },
    spooled: async () => (await readdir(at('state'))).flatMap((name) => /^(.*)\.pod$/.exec(name)?.[1] ?? []),
    gauge: (name) => {
      const value = new RegExp(`^signalbox_node_${name}\\{node="${NODE}"\\} (\\d+)$`, 'm').exec(server.exposed())?.[1]
      return value === undefined ? null : Number(value)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...running].map((one) => one.stop('SIGKILL')))
      await server[Symbol.asyncDispose]()
      await journal[Symbol.asyncDispose]()
      if (stateBytes !== undefined) await runOrThrow('umount', [at('state')])
      await rm(folder, { recursive: true })
    },
  }
}

/** In MB: now, and the most there has been. */
export function readMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024)
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
