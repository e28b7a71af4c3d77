import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { fillWorld } from '#test/contracts/github-filled.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { blindAs, textLike } from '#test/contracts/github-matchers.ts'

const LOGS = /\/actions\/jobs\/\d+\/logs$/u

async function readLog(around: (next: FetchHandler) => FetchHandler) {
  await using world = await startGitHubWorld({ around })
  return await readLogIn(world)
}

async function readLogIn(world: GitHubWorld) {
  const { job } = await fillWorld(world.sim)
  const pieces: Uint8Array[] = []
  const outcome = await world.github.jobs.log('acme/api', job, {
    maxBytes: 1000,
    take: (piece) => void pieces.push(piece),
  })
  return { outcome, text: Buffer.concat(pieces).toString() }
}

const redirecting =
  (target: (url: URL) => string): ((next: FetchHandler) => FetchHandler) =>
  (next) =>
  async (request) =>
    LOGS.test(request.url)
      ? new Response(null, { status: 302, headers: { location: target(new URL(request.url)) } })
      : next(request)

describe('the log of a job', () => {
  it('is fetched without the token, also from the same host', async () => {
    const sent: (string | null)[] = []
    const { text } = await readLog((next) => (request) => {
      if (request.url.includes('/_logs/')) sent.push(request.headers.get('authorization'))
      return next(request)
    })
    expect(text).toBe('one\ntwo\n')
    expect(sent).toEqual([null])
  })

  it('is found in a repository that was renamed', async () => {
    await using world = await startGitHubWorld({
      around: (next) => async (request) =>
        request.url.includes('/acme/former/')
          ? new Response(null, { status: 301, headers: { location: request.url.replace('/former/', '/api/') } })
          : next(request),
    })
    const { job } = await fillWorld(world.sim)
    const reading = { maxBytes: 1000, take: () => undefined }
    expect(await world.github.jobs.log('acme/former', job, reading)).toMatchObject({
      kind: 'seen',
      value: { bytes: 8 },
    })
    expect(await world.github.jobs.byId('acme/former', job)).toMatchObject({ kind: 'seen', value: { id: job } })
  })

  it('is blind where a sign-in page comes in its place', async () => {
    const { outcome, text } = await readLog(
      (next) => async (request) =>
        request.url.includes('/_logs/')
          ? new Response('<html>', { headers: { 'content-type': 'text/html' } })
          : next(request),
    )
    expect(outcome).toEqual(blindAs('malformed', textLike(/HTML/u)))
    expect(text).toBe('')
  })

  it('that breaks off is blind, with what was read until then given to the reader', async () => {
    await using world = await startGitHubWorld()
    world.sim.faults.add({ path: /\/_logs\//u, fault: { kind: 'cut', afterBytes: 4 } })
    const { outcome, text } = await readLogIn(world)
    expect(outcome).toEqual(blindAs('truncated', textLike(/after 4 bytes/u)))
    expect(text).toBe('one\n')
  })

  it.each([
    ['a link that leads nowhere', () => 'http://', /nowhere/u],
    ['a link to a file of the machine', () => 'file:///etc/passwd', /nowhere/u],
    ['a link in a circle', ({ href }: URL) => href, /.*/u],
  ])('is blind for %s', async (_name, target, detail) => {
    const { outcome } = await readLog(redirecting(target))
    expect(outcome).toEqual({ kind: 'blind', reason: { code: 'malformed', detail: textLike(detail) } })
  })

  it('is blind where the store refuses the link', async () => {
    const { outcome } = await readLog(
      (next) => async (request) =>
        request.url.includes('/_logs/') ? new Response('<Error/>', { status: 403 }) : next(request),
    )
    expect(outcome).toEqual(blindAs('forbidden', textLike(/store of logs/u)))
  })

  it('is blind where GitHub gives the bytes itself, which it does not', async () => {
    const { outcome } = await readLog(
      (next) => async (request) => (LOGS.test(request.url) ? Response.json({ log: 'x' }) : next(request)),
    )
    expect(outcome).toEqual(blindAs('malformed', textLike(/redirect/u)))
  })

  it('stops with its caller', async () => {
    const stop = new AbortController()
    await using world = await startGitHubWorld({
      around: (next) => async (request) => {
        if (!request.url.includes('/_logs/')) return next(request)
        async function* endless(): AsyncGenerator<Uint8Array> {
          for (;;) {
            yield Buffer.from('again\n')
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
        }
        return new Response(ReadableStream.from(endless()))
      },
    })
    const { job } = await fillWorld(world.sim)
    const reading = { maxBytes: 1 << 20, signal: stop.signal, take: () => stop.abort() }
    expect(await world.github.jobs.log('acme/api', job, reading)).toEqual(blindAs('stopped', textLike(/stopping/u)))
  })

  it('lets a fault of the reader through, and closes the connection', async () => {
    await using world = await startGitHubWorld()
    const { job } = await fillWorld(world.sim)
    const take = (): void => {
      throw new Error('the disk is full')
    }
    await expect(world.github.jobs.log('acme/api', job, { maxBytes: 10, take })).rejects.toThrow('the disk is full')
  })
})
