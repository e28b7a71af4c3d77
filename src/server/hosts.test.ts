import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { NodeAgent } from '#/ports/node-agents.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createApp } from '#/server/app.ts'
import { askChecked } from '#test/server/checked-api.ts'
import { openGuards } from '#test/server/open-guards.ts'
import { hostsApi } from './hosts.ts'

const agent = (file: NodeAgent['file']): NodeAgent => ({ file }) as unknown as NodeAgent

function ask(agents: Readonly<Record<string, NodeAgent | Blind>>) {
  const handler = hostsApi({
    guards: openGuards,
    agents: {
      nodes: () => Object.keys(agents),
      of: (node) => agents[node] ?? blind('not-asked', `no agent serves ${node}`),
    },
  })
  const app = createApp({
    version: '1',
    metrics: createMetrics(),
    readiness: [],
    log: { error: () => {} },
    routes: [{ path: '/v1/hosts', handler }],
  })
  return askChecked(app, '/v1/hosts').then((answer) => answer.json())
}

describe('what the agents hold of their machines', () => {
  it('is the files of every connected node, in order, and what could not be read', async () => {
    const answer = await ask({
      'n-2': agent(async (name) => (name === 'proc/cgroups' ? none() : seen(`${name}\n`))),
      'n-1': blind('unreachable', 'the agent on n-1 is away'),
      'n-0': agent(async () => blind('timeout', 'the agent on n-0 did not answer')),
    })
    expect(answer).toMatchObject({
      schemaVersion: 1,
      hosts: [
        { node: 'n-0', files: {}, unread: ['timeout: the agent on n-0 did not answer'] },
        { node: 'n-1', files: {}, unread: ['unreachable: the agent on n-1 is away'] },
        {
          node: 'n-2',
          files: { 'proc/sys/fs/file-nr': 'proc/sys/fs/file-nr\n' },
          unread: ['proc/cgroups: there is none'],
        },
      ],
    })
  })

  it('is asked of many at once, but not of all', async () => {
    let open = 0
    let most = 0
    const slow = agent(async () => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return seen('1\n')
    })
    const nodes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n-${index}`, slow]))
    const answer = (await ask(nodes)) as { readonly hosts: readonly unknown[] }
    expect(answer.hosts.length).toBe(100)
    // Seven files of each of 32 nodes.
    expect(most).toBeLessThanOrEqual(7 * 32)
  })

  it('is nothing without agents', async () => {
    expect(await ask({})).toMatchObject({ hosts: [] })
  })
})
