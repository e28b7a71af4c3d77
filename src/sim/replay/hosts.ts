import { blind, none, seen } from '#/core/basics/observed.ts'
import type { NodeAgent, NodeAgents } from '#/ports/node-agents.ts'
import type { CgroupCopy } from '#/ports/this-host.ts'
import type { HostEvidence, Play } from './play.ts'
import type { World } from './world.ts'

/** The agents of the replayed nodes: they return what was read on the real node, up to now. */
export function replayAgents(world: World): NodeAgents {
  return {
    of: (node) => {
      const play = world.plays().find((one) => one.node === node && one.recording !== null)
      const host = play?.host() ?? null
      if (play === undefined || host === null) {
        return blind('unreachable', `the replay has nothing of the node ${node} itself`)
      }
      return createAgent(play, host, world)
    },
    watch: () => {},
    stored: () => {},
  }
}

function createAgent(play: Play, host: HostEvidence, { clock }: World): NodeAgent {
  return {
    journal: async ({ since = 0, until = Infinity }) => {
      const lines = host.journal.filter(({ at }) => at >= since && at <= Math.min(until, clock.now()))
      const from = Math.max(since, host.journal[0]?.at ?? since)
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from(lines.map(({ text }) => `${text}\n`).join(''))
      }
      return seen({ chunks: chunks(), from, ending: () => ({ to: lines.at(-1)?.at ?? null, gaps: [] }) })
    },
    file: async (name) => {
      const text = host.files.get(name)
      return text === undefined ? none() : seen(text)
    },
    cgroups: async () => (host.cgroups.size === 0 ? none() : seen(toCopies(host))),
    logs: async () => {
      if (play.logs.size === 0) return blind('expired', 'the log of this runner was not recorded')
      return seen(
        [...play.logs].map(([key, lines]) => ({
          container: key.replace(/\.previous$/, ''),
          previous: key.endsWith('.previous'),
          text: lines.flatMap(({ at, text }) => (at <= clock.now() ? [`${text}\n`] : [])).join(''),
          cut: false,
        })),
      )
    },
  }
}

/** The recording has the runner's own without a name. */
function toCopies({ cgroups }: HostEvidence): readonly CgroupCopy[] {
  return [...cgroups].map(([name, files]) => ({
    container: name === '_pod' ? null : name === '' ? 'runner' : name,
    files,
  }))
}
