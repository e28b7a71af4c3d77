import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import type { Seeded } from '#/sim/github/world/seeded.ts'
import { createSeeded } from '#/sim/github/world/seeded.ts'
import { fillWorld } from '#test/contracts/github-filled.ts'
import type { Malformation } from '#test/contracts/github-malformations.ts'
import { textLike } from '#test/contracts/github-matchers.ts'
import { answer, MALFORMATIONS } from '#test/contracts/github-malformations.ts'
import type { RawRequest } from '#test/contracts/github-raw-server.ts'
import { serveRaw } from '#test/contracts/github-raw-server.ts'
import type { Read } from '#test/contracts/github-reads.ts'
import { buildReads } from '#test/contracts/github-reads.ts'
import { startGitHubWorld, tokenCredential } from '#test/contracts/github-world.ts'
import { draws } from '#test/tiers/long-run.ts'

const webhook = { url: 'http://signalbox.test', secret: 'hook', deliver: async () => ({ status: 200 }) }
const SEEDS = draws(1000)
const TOKENS = /\/access_tokens$/u

type Case = {
  readonly read: Read
  readonly malformation: Malformation
  readonly target: RegExp
  readonly withApp: boolean
}

/** A simulated GitHub behind a server that spoils the answers of one path. */
async function startSpoiled() {
  const world = await startGitHubWorld({ sim: { webhook } })
  const reads = buildReads(await fillWorld(world.sim)).filter(({ name }) => name !== 'jobs.log')
  const seeded = createSeeded(20_261_115)
  const secrets = new Set<string>()
  let now: Case | null = null
  const server = await serveRaw(async (request, url) => {
    const authorization = request.headers['authorization'] ?? ''
    secrets.add(authorization.replace('Bearer ', ''))
    const given = await ask(world.sim.fetch, request, url)
    if (now === null || !now.target.test(request.target)) return answer(given.status, given.body, given.headers)
    const json: unknown = given.body === '' ? null : JSON.parse(given.body)
    const required = now.target === TOKENS ? ['token', 'expires_at'] : now.read.required
    return Buffer.from(
      now.malformation.bytes({ json, required, authorization, url: `${url}${request.target}`, seeded }),
    )
  })
  const spoil = (next: Case): void => {
    now = next
  }
  return { world, reads, seeded, secrets, server, spoil }
}

async function ask(honest: FetchHandler, request: RawRequest, url: string) {
  const { method, target, body } = request
  const authorization = request.headers['authorization'] ?? ''
  const reply = await honest(
    new Request(`${url}${target}`, { method, headers: { authorization }, ...(body === '' ? {} : { body }) }),
  )
  return { status: reply.status, body: await reply.text(), headers: Object.fromEntries(reply.headers) }
}

/** Three pieces of each secret, so that a shortened one is found too. */
function findLeaks(result: unknown, secrets: ReadonlySet<string>): readonly string[] {
  const print = `${inspect(result, { depth: 9, showHidden: true })} ${JSON.stringify(result)}`
  return [...secrets]
    .flatMap((secret) => {
      const middle = Math.floor(secret.length / 2)
      return [secret.slice(0, 20), secret.slice(middle, middle + 16), secret.slice(-16)]
    })
    .filter((piece) => print.includes(piece))
}

function chooseCase(reads: readonly Read[], seeded: Seeded, seed: number): Case {
  const read = reads[seed % reads.length]!
  const malformation = MALFORMATIONS[Math.floor(seeded.fraction() * MALFORMATIONS.length)]!
  const asApp = /^(?:hooks|access)/u.test(read.name)
  const withApp = asApp || seed % 2 === 0
  const spoilsTokens = withApp && (!asApp || read.name === 'access.rateLimits') && seeded.fraction() < 0.2
  return { read, malformation, target: spoilsTokens ? TOKENS : read.path, withApp }
}

describe('malformed answers', () => {
  it(`give a clear reason and never a crash or a secret, for ${SEEDS} seeded ones`, { timeout: 240_000 }, async () => {
    const { world, reads, seeded, secrets, server, spoil } = await startSpoiled()
    await using _server = server
    await using _world = world
    const token = tokenCredential(world.sim.personalToken('acme'))
    const tried = new Set<string>()
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const chosen = chooseCase(reads, seeded, seed)
      const { read, malformation, target } = chosen
      spoil(chosen)
      secrets.clear()
      const limits = { baseUrl: server.url, maxBytes: 100_000 }
      const github = world.connect(chosen.withApp ? limits : { ...limits, credential: token })
      const result = await read.read(github)
      const reason = result.kind === 'blind' ? result.reason : { code: result.kind, detail: '' }
      const about = `${read.name} with ${malformation.name} at ${String(target)}, seed ${seed}: ${inspect(result)}`
      expect([about, malformation.codes.some((code) => code === reason.code)]).toEqual([about, true])
      expect([about, reason.detail]).toEqual([about, textLike(/^[^\n\r]{15,500}$/u)])
      expect([about, findLeaks([result, github.access.budgets()], secrets)]).toEqual([about, []])
      expect(secrets.size).toBeGreaterThan(0)
      tried.add(malformation.name)
    }
    expect(tried.size).toBe(MALFORMATIONS.length)
  })

  it('of a mint never show the configuration or the token', async () => {
    const { world, secrets, server, spoil } = await startSpoiled()
    await using _server = server
    await using _world = world
    const at = { kind: 'organization', organization: 'acme' } as const
    const required = ['encoded_jit_config', 'runner', 'id', 'busy', 'labels']
    const read: Read = { name: 'mint', read: async () => ({ kind: 'none' }), path: /jitconfig/u, empty: null, required }
    for (const [index, malformation] of MALFORMATIONS.entries()) {
      spoil({ read, malformation, target: read.path, withApp: true })
      const github = world.connect({ baseUrl: server.url, maxBytes: 100_000 })
      const outcome = await github.runners.mint(at, { name: `r-${index}`, groupId: 1, labels: ['linux'] })
      expect(['blind', 'refused', 'rate-limited'], `${malformation.name}: ${outcome.kind}`).toContain(outcome.kind)
      expect(findLeaks(outcome, secrets)).toEqual([])
      expect(inspect(outcome)).not.toContain(Buffer.from('{"agentId"').toString('base64').slice(0, 12))
    }
  })
})
