import { randomUUID } from 'node:crypto'
import { writeAnswer } from '#/protocol/answer-body.ts'
import { answerHead } from '#/protocol/answer.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import { answerPath, pollPath } from '#/protocol/paths.ts'
import { pollAnswer, pollRequest } from '#/protocol/poll.ts'
import { PROTOCOL } from '#/protocol/version.ts'

/** An agent that says what a test wants. It dials the real server with the protocol of the real agent. */
export type PaperAgent = AsyncDisposable & { readonly connected: Promise<void> }

export type PaperAgentOptions = {
  readonly url: string
  readonly node: string
  readonly token: string
  readonly journal: () => Uint8Array
  /** What it says instead, whatever was asked; null for the truth. */
  readonly lie?: () => Lie | null
}

/** The body of an answer, or none at all. */
export type Lie = Uint8Array | 'silence'

export function startPaperAgent({ url, node, token, journal, lie = () => null }: PaperAgentOptions): PaperAgent {
  const over = new AbortController()
  const { signal } = over
  const headers = { authorization: `Bearer ${token}` }
  const session = randomUUID()
  const { promise: connected, resolve: connect, reject } = Promise.withResolvers<void>()
  let watch: string | null = null
  const post = (path: string, body: Uint8Array | string): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: Buffer.from(body), signal })
  const poll = async (): Promise<void> => {
    const request = withNulls(Object.keys(pollRequest.shape), { protocol: PROTOCOL, node, session, watch })
    const answer = await post(pollPath, JSON.stringify(request))
    if (!answer.ok) throw new Error(`the poll was answered with ${answer.status}: ${await answer.text()}`)
    const { questions, watch: given } = pollAnswer.parse(await answer.json())
    watch = given?.version ?? watch
    connect()
    for (const { id, asked } of questions) {
      const truth = (): Uint8Array =>
        asked.kind === 'journal' ? writeAnswer(journalHead(), journal()) : writeAnswer({ kind: 'none' })
      const body = lie() ?? truth()
      if (body === 'silence') continue
      // An answer that came too late is refused, which is the server's right.
      await (await post(answerPath(id, node), body)).arrayBuffer()
    }
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) await poll()
  }
  const done = run().catch((error: unknown) => reject(error as Error))
  return {
    connected,
    [Symbol.asyncDispose]: async () => {
      over.abort()
      await done
    },
  }
}

function journalHead(): AnswerHead {
  const head = answerHead.options.find(({ shape }) => shape.kind.value === 'journal')
  const known = { kind: 'journal', from: Date.now() - 3_600_000, to: Date.now(), gaps: [] }
  return answerHead.parse(withNulls(Object.keys(head?.shape ?? {}), known))
}

/** What the tests do not use is null, so that a new field of the protocol changes nothing here. */
function withNulls(keys: readonly string[], known: object): object {
  return { ...Object.fromEntries(keys.map((key) => [key, null])), ...known }
}
