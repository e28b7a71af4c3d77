import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { connectKubernetes } from '#/adapters/kubernetes/connect.ts'
import type { Tuning } from '#/adapters/kubernetes/tuning.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import { BLIND_CODES } from '#/core/basics/observed.ts'
import type { AnsweringServer } from './answering-server.ts'
import { SECRET_TOKEN, answerJson, startAnsweringServer } from './answering-server.ts'
import type { Malady } from './maladies.ts'
import { HUGE_BYTES, MALADIES, pick, seededRandom } from './maladies.ts'
import type { Outcome, Verb } from './verbs.ts'
import { SOUND, TEXT_VERBS, VERBS, WRITE_VERBS } from './verbs.ts'

const ANSWERS = 1000
const AT_ONCE = 10
const SEED = 20_261_115

/** Long timeouts for correct answers. */
const PATIENT: Partial<Tuning> = { backoffFirstMs: 10, backoffMostMs: 20 }
const HASTY: Partial<Tuning> = {
  ...PATIENT,
  requestTimeoutMs: 700,
  silentAfterMs: 700,
  maxAnswerBytes: HUGE_BYTES / 2,
  maxEventBytes: HUGE_BYTES / 2,
}

async function ask(server: AnsweringServer, verb: Verb, tuning: Partial<Tuning>): Promise<Outcome> {
  const { credentials } = server
  await using kubernetes = connectKubernetes({
    credentials,
    clock: systemClock,
    random: Math.random,
    userAgent: 'test',
    tuning,
  })
  const stop = new AbortController()
  try {
    return await VERBS[verb](kubernetes, stop.signal)
  } finally {
    stop.abort()
  }
}

function fallIll(server: AnsweringServer, verb: Verb, malady: Malady, seed: number): void {
  const random = seededRandom(seed)
  const sound = JSON.stringify(SOUND[verb])
  const healthyList = answerJson(200, SOUND.list)
  server.answer = (request, response) => {
    const beforeTheWatch = verb === 'watch' && request.url?.includes('watch=true') !== true
    if (beforeTheWatch) healthyList(request, response)
    else malady.answer(response, sound, random)
  }
}

/** What is wrong with the outcome; null if it is clear. */
function complaint(verb: Verb, malady: Malady, outcome: Outcome): string | null {
  const text = JSON.stringify(outcome)
  const about = `${verb} got ${malady.name} and said ${text}`
  if (text.includes(SECRET_TOKEN) || text.includes('login.example.test')) return `a secret: ${about}`
  if (TEXT_VERBS.has(verb) && malady.wholeText && outcome.kind !== 'blind') return null
  if (!isClear(outcome)) return `no clear reason: ${about}`
  return WRITE_VERBS.has(verb) && !('applied' in outcome) ? `nothing about what was done: ${about}` : null
}

function isClear(outcome: Outcome): boolean {
  if (outcome.kind !== 'blind' || !('reason' in outcome)) return false
  const { code, detail } = outcome.reason as BlindReason
  return BLIND_CODES.includes(code) && detail.length > 10 && !detail.includes('\n')
}

describe('malformed answers', () => {
  it('give a clear reason, in a thousand cases', { timeout: 180_000 }, async () => {
    const random = seededRandom(SEED)
    const verbs = Object.keys(VERBS) as Verb[]
    const plans = Array.from({ length: ANSWERS }, (_, index) => ({
      verb: pick(random, verbs),
      malady: MALADIES[index % MALADIES.length] ?? pick(random, MALADIES),
      seed: Math.floor(random() * 1_000_000),
    }))
    const servers = await Promise.all(Array.from({ length: AT_ONCE }, () => startAnsweringServer(answerJson(500, {}))))
    await using cleanUp = new AsyncDisposableStack()
    for (const server of servers) cleanUp.use(server)
    const complaints: (string | null)[] = []
    await Promise.all(
      servers.map(async (server, lane) => {
        for (const plan of plans.filter((_, index) => index % AT_ONCE === lane)) {
          fallIll(server, plan.verb, plan.malady, plan.seed)
          complaints.push(complaint(plan.verb, plan.malady, await ask(server, plan.verb, HASTY)))
        }
      }),
    )
    expect(complaints).toHaveLength(ANSWERS)
    expect(complaints.filter((one) => one !== null)).toEqual([])
  })

  it.each(Object.keys(VERBS) as Verb[])('are distinguished from a correct answer to %s', async (verb) => {
    await using server = await startAnsweringServer(answerJson(200, SOUND.list))
    const sound: Malady = { name: 'nothing', wholeText: true, answer: (response, text) => response.end(`${text}\n`) }
    fallIll(server, verb, sound, SEED)
    const outcome = await ask(server, verb, PATIENT)
    expect(outcome.kind).not.toBe('blind')
  })
})
