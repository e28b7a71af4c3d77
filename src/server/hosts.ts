import { Hono } from 'hono'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { NodeAgent, NodeAgents } from '#/ports/node-agents.ts'
import { HOST_FILES } from '#/ports/this-host.ts'
import type { HostFileName } from '#/ports/this-host.ts'
import type { Guards } from '#/server/access/auth.ts'
import { SCHEMA_VERSION } from './openapi-schemas.ts'
import { onlyAllows } from '#/server/request/problem.ts'

export type HostsOptions = {
  readonly guards: Guards
  readonly agents: Pick<NodeAgents, 'of'> & {
    /** The nodes whose agents are connected. */
    readonly nodes: () => readonly string[]
  }
}

type Host = {
  readonly node: string
  readonly files: Partial<Readonly<Record<HostFileName, string>>>
  /** What its agent could not read, and why. */
  readonly unread: readonly string[]
}

/** Agents are asked side by side; a fleet of thousands is not asked all at once. */
const AT_ONCE = 32

/** `/v1/hosts`: the small files of the machines, as their agents read them now. */
export function hostsApi({ guards, agents }: HostsOptions): Hono {
  const api = new Hono()
  api.get('/', guards.read, async (c) => {
    const waiting = [...agents.nodes()].toSorted()
    const hosts: Host[] = []
    const work = async (): Promise<void> => {
      for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
        hosts.push(await readHost(node, agents.of(node), c.req.raw.signal))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const sorted = hosts.toSorted((a, b) => (a.node < b.node ? -1 : 1))
    return c.json({ schemaVersion: SCHEMA_VERSION, hosts: sorted })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  return api
}

async function readHost(node: string, agent: NodeAgent | Blind, signal: AbortSignal): Promise<Host> {
  if ('kind' in agent) return { node, files: {}, unread: [describeReason(agent.reason)] }
  // The agent sends all files in one answer.
  const read = await Promise.all(HOST_FILES.map(async (name) => [name, await agent.file(name, signal)] as const))
  return {
    node,
    files: Object.fromEntries(read.flatMap(([name, file]) => (file.kind === 'seen' ? [[name, file.value]] : []))),
    unread: [...new Set(read.flatMap(([name, file]) => explain(name, file)))],
  }
}

function explain(name: string, file: Observed<string>): readonly string[] {
  if (file.kind === 'seen') return []
  return file.kind === 'none' ? [`${name}: there is none`] : [describeReason(file.reason)]
}
