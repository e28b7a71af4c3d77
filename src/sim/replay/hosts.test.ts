import { describe, expect, it } from 'vitest'
import type { NodeAgent } from '#/ports/node-agents.ts'
import { replayAgents } from './hosts.ts'
import type { HostEvidence, Play } from './play.ts'
import { createWorld } from './world.ts'

const { signal } = new AbortController()
const T0 = Date.parse('2026-06-01T00:00:00Z')
let now = T0 + 30_000
const clock = { now: () => now, sleep: async () => {} }

const line = (second: number) => ({ at: T0 + second * 1000, text: `{"at":${second}}` })
const host: HostEvidence = {
  journal: [line(0), line(10), line(20), line(40)],
  files: new Map([['free-m', 'much\n']]),
  cgroups: new Map([
    ['', new Map([['memory.events', 'oom 1']])],
    ['_pod', new Map([['pids.max', '9']])],
    ['dind', new Map([['pids.max', '8']])],
  ]),
}
const play: Play = {
  recording: 'one',
  namespace: 'ci',
  pod: 'p',
  uid: 'u',
  node: 'n1',
  phases: [],
  events: [],
  record: null,
  nodeObject: null,
  logs: new Map([['runner', [line(1), line(39)]]]),
  audit: [],
  host: () => host,
  job: null,
  endsAt: T0,
  overAt: T0 + 600_000,
}

function findAgent(node: string, plays: readonly Play[] = [play]): NodeAgent {
  const world = createWorld(clock)
  for (const one of plays) world.begin(one)
  const agent = replayAgents(world).of(node)
  if ('reason' in agent) throw new Error(agent.reason.code)
  return agent
}

async function readJournal(window: { readonly since?: number; readonly until?: number }) {
  const copy = await findAgent('n1').journal(window, signal)
  if (copy.kind !== 'seen') throw new Error('blind')
  let text = ''
  for await (const chunk of copy.value.chunks) text += Buffer.from(chunk).toString()
  return { text, from: copy.value.from - T0, to: (copy.value.ending().to ?? 0) - T0 }
}

describe('the agent of a node in the replay', () => {
  it('has the lines of the window that are written by now, and says which time they cover', async () => {
    now = T0 + 30_000
    expect(await readJournal({})).toEqual({ text: '{"at":0}\n{"at":10}\n{"at":20}\n', from: 0, to: 20_000 })
    expect(await readJournal({ since: T0 + 5000, until: T0 + 15_000 })).toEqual({
      text: '{"at":10}\n',
      from: 5000,
      to: 10_000,
    })
    now = T0 + 50_000
    expect((await readJournal({})).text).toContain('{"at":40}')
  })

  it('names the cgroups as a node does: the runner, the pod itself, the others', async () => {
    const pod = { uid: 'u', containers: [] }
    expect(await findAgent('n1').cgroups(pod, signal)).toMatchObject({
      value: [{ container: 'runner' }, { container: null }, { container: 'dind' }],
    })
    const bare = { ...play, host: () => ({ ...host, cgroups: new Map() }) }
    expect(await findAgent('n1', [bare]).cgroups(pod, signal)).toEqual({ kind: 'none' })
  })

  it('has the files of the host, and none that was not recorded', async () => {
    expect(await findAgent('n1').file('free-m', signal)).toMatchObject({ value: 'much\n' })
    expect(await findAgent('n1').file('df', signal)).toEqual({ kind: 'none' })
  })

  it('has the log up to now, and is blind for one that was not recorded', async () => {
    now = T0 + 30_000
    const request = { uid: 'u', tailBytes: 1000 }
    expect(await findAgent('n1').logs(request, signal)).toMatchObject({
      value: [{ container: 'runner', previous: false, text: '{"at":1}\n' }],
    })
    const silent = { ...play, logs: new Map() }
    expect(await findAgent('n1', [silent]).logs(request, signal)).toMatchObject({ reason: { code: 'expired' } })
  })

  it.each<[string, readonly Play[]]>([
    ['of which nothing was recorded', [{ ...play, host: () => null }]],
    ['with runners that do well only', [{ ...play, recording: null }]],
    ['that is not there', []],
  ])('is not there for a node %s', (_, plays) => {
    expect(() => findAgent('n1', plays)).toThrow('unreachable')
  })
})
