import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { toLedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Begun, Ledger, Moved, Recorded } from '#/ports/store/ledger.ts'
import type { Guards } from '#/server/auth.ts'
import { callerOf } from '#/server/caller.ts'
import {
  attemptEndBody,
  attemptStepBody,
  endedAttemptBody,
  newAttemptBody,
  toEnd,
  toEndedAttempt,
  toNewAttempt,
  toStep,
} from '#/server/ledger-bodies.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/problem.ts'
import { malformed, readJson } from '#/server/read-json.ts'

export type LedgerWrites = {
  readonly guards: Guards
  readonly ledger: Pick<Ledger, 'begin' | 'advance' | 'end' | 'record'>
  readonly clock: Pick<Clock, 'now'>
  readonly admit: MiddlewareHandler
}

/** A hundred gates with their proofs, and more. */
const LIMITS = { mostBytes: 1024 * 1024, mostTokens: 10_000, deepest: 8 }
/** A row from long ago would be removed by retention before anybody has seen it. */
const MOST_SKEW_MS = 5 * 60_000

/**
 * The writes of `/v1/ledger`, for commands that act. Who asks is who acts, whatever the body says; only the leader has an
 * epoch, and the leader does not come this way.
 */
export function addLedgerWrites(api: Hono, { guards, ledger, clock, admit }: LedgerWrites): void {
  const on = <S extends z.ZodType<{ readonly at: number }>>(
    path: string,
    schema: S,
    write: (body: z.output<S>, c: Context) => Promise<Begun | Moved | Recorded | null>,
  ): void => {
    api.post(path, guards.operate, admit, async (c) => {
      const body = await readJson(c, schema, LIMITS)
      if (body.kind === 'wrong') return sendProblem(c, body.problem)
      const skewMs = body.value.at - clock.now()
      if (Math.abs(skewMs) > MOST_SKEW_MS) return sendProblem(c, askew(skewMs))
      return answer(c, await write(body.value, c))
    })
    api.all(path, guards.operate, (c) => onlyAllows(c, ['POST']))
  }
  api.get('/actor', guards.operate, (c) => {
    const { actor, role } = callerOf(c)
    return c.json({ schemaVersion: SCHEMA_VERSION, actor, role })
  })
  api.all('/actor', guards.operate, (c) => onlyAllows(c, ['GET', 'HEAD']))
  on('/attempts', newAttemptBody, async (body, c) => {
    const attempt = toNewAttempt(body, callerOf(c).actor)
    return attempt === null ? null : await ledger.begin(attempt)
  })
  on('/attempts/:id{[0-9]{1,15}}/steps', attemptStepBody, async (body, c) =>
    ledger.advance(handleIn(c, body.after), toStep(body, callerOf(c).actor)),
  )
  on('/attempts/:id{[0-9]{1,15}}/end', attemptEndBody, async (body, c) => {
    const end = toEnd(body, callerOf(c).actor)
    return end === null ? null : await ledger.end(handleIn(c, body.after), end)
  })
  on('/records', endedAttemptBody, async (body, c) => {
    const attempt = toEndedAttempt(body, callerOf(c).actor)
    return attempt === null ? null : await ledger.record(attempt)
  })
}

/** Of the steps only their number is looked at. */
function handleIn(c: Context, after: number) {
  return { id: Number(c.req.param('id')), steps: { length: after } as Parameters<Ledger['end']>[0]['steps'] }
}

function answer(c: Context, written: Begun | Moved | Recorded | null): Response {
  if (written === null || written.kind === 'fenced') {
    return sendProblem(
      c,
      malformed('needs one of policy, loop and command, and decidedBy exactly where it was refused'),
    )
  }
  const { kind, row } = written
  return c.json({ schemaVersion: SCHEMA_VERSION, kind, row: row === null ? null : toLedgerDocument(row) })
}

function askew(skewMs: number) {
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const advice = ['set the clock of the machine where the command runs, or of the server']
  return { ...malformed(`at is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of the server`), advice }
}
