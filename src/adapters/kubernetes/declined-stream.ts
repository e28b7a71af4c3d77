import type { HttpStream } from '#/adapters/http/exchange.ts'
import { readBounded } from '#/adapters/http/read-bounded.ts'
import type { Silence } from '#/adapters/http/read-until-silent.ts'
import { readUntilSilent } from '#/adapters/http/read-until-silent.ts'
import type { Declined } from './reply.ts'
import { declined } from './reply.ts'

const LONGEST_BYTES = 1024 * 1024

/** The body of a refused stream request. Throws when the connection breaks or goes silent. */
export async function declinedStream(stream: HttpStream, what: string, silence: Silence): Promise<Declined> {
  const { status, headers } = stream
  const body = await readBounded(readUntilSilent(stream.body, silence), LONGEST_BYTES)
  return declined({ status, headers, body: body === 'too-large' ? Buffer.alloc(0) : body }, what)
}
