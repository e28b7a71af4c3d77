import type { z } from 'zod'
import type { Blind, Observed } from '#/core/basics/observed.ts'
import { blind, none } from '#/core/basics/observed.ts'
import type { WriteFailure } from '#/ports/github.ts'
import type { Ask, Unsuccessful } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { shape } from '#/adapters/github/http/shape.ts'

/** Reads one thing. A 404 is `none` only if GitHub shows us the place that would hold the thing. */
export async function observeOne<T>(
  client: Client,
  reading: { readonly ask: Ask; readonly schema: z.ZodType<T>; readonly place: Ask },
): Promise<Observed<T>> {
  const answer = await client.ask(reading.ask)
  if (answer.kind === 'ok') return shape(answer.json, reading.schema, client.scrub)
  return answer.kind === 'absent' ? believeAbsence(client, reading.place, answer.detail) : asBlind(answer)
}

/** GitHub answers 404 both for what is not there and for what it hides from the credential. */
export async function believeAbsence(client: Client, place: Ask, detail: string): Promise<Observed<never>> {
  const witness = await client.ask(place)
  if (witness.kind === 'ok') return none()
  if (witness.kind === 'absent') return hidden(detail)
  return asBlind(witness)
}

/** Where a failure leaves a reader without the fact. A list that is not found is a place that we may not see. */
export function asBlind(answer: Unsuccessful): Blind {
  switch (answer.kind) {
    case 'blind':
      return answer
    case 'absent':
      return hidden(answer.detail)
    case 'gone':
      return blind('expired', answer.detail)
    case 'refused':
      return blind('unsupported', answer.detail)
    case 'forbidden':
      return blind('forbidden', answer.detail)
    case 'rate-limited':
      return blind('rate-limited', answer.detail)
  }
}

/** A write that did not happen, or of which we do not know. */
export async function asWriteFailure(client: Client, answer: Unsuccessful, place: Ask): Promise<WriteFailure> {
  switch (answer.kind) {
    case 'absent': {
      const absence = await believeAbsence(client, place, answer.detail)
      return absence.kind === 'blind' ? hiddenOr(absence) : { kind: 'absent' }
    }
    case 'gone':
    case 'refused':
      return { kind: 'refused', detail: answer.detail }
    case 'forbidden':
    case 'rate-limited':
    case 'blind':
      return answer
  }
}

function hiddenOr(absence: Blind): WriteFailure {
  const { code, detail } = absence.reason
  return code === 'forbidden' ? { kind: 'forbidden', permission: null, detail } : absence
}

function hidden(detail: string): Blind {
  return blind('forbidden', `${detail}: GitHub does not show it, or where it would be, to this credential`)
}
