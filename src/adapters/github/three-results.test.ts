import { describe, expect, it } from 'vitest'
import { fillWorld } from '#test/contracts/github-filled.ts'
import type { Read } from '#test/contracts/github-reads.ts'
import { buildReads } from '#test/contracts/github-reads.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { someText, textLike } from '#test/contracts/github-matchers.ts'

const webhook = { url: 'http://signalbox.test', secret: 'hook', deliver: async () => ({ status: 200 }) }
const ALWAYS = 50
const NAMES = buildReads({ runner: 1, job: 1, run: 1 }).map(({ name }) => name)
const RIGHTS = { 'x-accepted-github-permissions': 'checks=read' }
const REFUSED = '{"message":"Resource not accessible by integration"}'

describe.each(NAMES)('%s', (name) => {
  const prepare = async (world: GitHubWorld): Promise<Read> => {
    const found = buildReads(await fillWorld(world.sim)).find((read) => read.name === name)
    if (found === undefined) throw new Error(name)
    return found
  }

  it('is seen where GitHub has something', async () => {
    await using world = await startGitHubWorld({ sim: { webhook } })
    const { read } = await prepare(world)
    expect((await read(world.github)).kind).toBe('seen')
  })

  it('is blind as forbidden where GitHub refuses, with the permission that is missing', async () => {
    await using world = await startGitHubWorld({ sim: { webhook } })
    const { read, path } = await prepare(world)
    world.sim.faults.add({
      path,
      fault: { kind: 'answer', status: 403, headers: RIGHTS, body: REFUSED },
      times: ALWAYS,
    })
    expect(await read(world.github)).toMatchObject({
      kind: 'blind',
      reason: { code: 'forbidden', detail: textLike(/Resource not accessible.*checks=read/u) },
    })
  })

  it('is none where GitHub has nothing', async () => {
    await using world = await startGitHubWorld({ sim: { webhook } })
    const { read, path, empty } = await prepare(world)
    if (empty === null) return
    world.sim.faults.add({ path, fault: { kind: 'answer', ...empty }, times: ALWAYS })
    expect(await read(world.github)).toEqual({ kind: 'none' })
  })

  it('is blind as truncated where the answer breaks off', async () => {
    await using world = await startGitHubWorld({ sim: { webhook } })
    const { read, path, bytes = path } = await prepare(world)
    world.sim.faults.add({ path: bytes, fault: { kind: 'cut', afterBytes: 4 }, times: ALWAYS })
    expect(await read(world.github)).toEqual({
      kind: 'blind',
      reason: { code: 'truncated', detail: someText },
    })
  })
})
