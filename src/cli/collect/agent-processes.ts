import { openServer, readDocument } from '#/cli/api-client/ask-server.ts'
import type { Reply, Server } from '#/cli/api-client/ask-server.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { at, textAt } from '#/core/basics/fields.ts'
import { BLIND_CODES, blind, seen } from '#/core/basics/observed.ts'
import type { BlindCode, Observed } from '#/core/basics/observed.ts'
import type { ReadPodProcesses } from '#/ports/pod-processes.ts'

type Command = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

const TIMEOUT_MS = 30_000
const MOST_BYTES = 4 * 1024 * 1024

/** Asks the agents through the server. A server that is not there is asked once. */
export async function openAgentProcesses(
  command: Command,
): Promise<AsyncDisposable & { readonly read: ReadPodProcesses }> {
  const server = await openServer(command)
  let silent: Observed<string> | null = null
  return {
    read: async ({ node, uid, container }) => {
      if (silent !== null) return silent
      const question = { path: '/v1/processes', query: { node, uid, container } }
      const reply = await server.ask({ ...question, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES })
      const read = toProcesses(server, reply)
      if (reply.kind !== 'answered') silent = read
      return read
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Where nobody named a server and none runs here, the agents were not asked. */
function toProcesses({ url, isNamed }: Server, reply: Reply): Observed<string> {
  if (reply.kind === 'silent') {
    return isNamed
      ? blind('unreachable', `${url}: ${reply.why}`)
      : blind('not-asked', 'no signalbox serve answers here, so that no agent was asked')
  }
  if (reply.kind === 'refused') {
    // An older server does not know the path.
    if (reply.status === 404) return blind('unsupported', `${url}: this server is older and cannot ask for processes`)
    return blind(reply.status === 401 ? 'unauthenticated' : 'forbidden', `${url}: ${reply.why}`)
  }
  const document = readDocument(reply.body)
  if (document === null) return blind('malformed', `${url}: it is not signalbox serve`)
  const text = textAt(document, 'processes')
  if (text !== null) return seen(text)
  const reason = at(document, 'blind')
  const code = BLIND_CODES.find((known): known is BlindCode => known === textAt(reason, 'code'))
  return blind(code ?? 'malformed', textAt(reason, 'detail') ?? `${url}: an answer of another form`)
}
