import type { Observed } from '#/core/basics/observed.ts'
import { none, seen } from '#/core/basics/observed.ts'
import type { RawAnswer } from '#/ports/kubernetes.ts'
import { saysAbsent } from './get.ts'
import { asText } from './record.ts'
import { declined } from './reply.ts'
import type { Transport } from './transport.ts'

export async function raw(transport: Transport, path: string, signal: AbortSignal): Promise<Observed<RawAnswer>> {
  const answer = await transport.exchange({ method: 'GET', path }, signal)
  if (answer.kind === 'blind') return { kind: 'blind', reason: answer.reason }
  if (answer.status === 200) {
    const contentType = asText(answer.headers['content-type']) ?? ''
    return seen({ contentType, text: answer.body.toString('utf8') })
  }
  const refusal = declined(answer, `GET ${path}`)
  return saysAbsent(refusal) ? none() : { kind: 'blind', reason: refusal.reason }
}
