import { openServer, readDocument } from '#/cli/api-client/ask-server.ts'
import type { AskingContext, Reply, Server } from '#/cli/api-client/ask-server.ts'
import { listAt, textAt, toFields, at } from '#/core/basics/fields.ts'
import { blind, seenList } from '#/core/basics/observed.ts'
import type { BlindCode, Observed } from '#/core/basics/observed.ts'
import type { FleetWish, HostFiles, ReadHosts } from '#/runtime/collect/request/request.ts'

/** Asks the agents through the server for the files of their machines; null where nobody wants them. */
export async function openHosts(
  command: AskingContext,
  { wanted }: Pick<FleetWish, 'wanted'>,
): Promise<(AsyncDisposable & { readonly read: ReadHosts }) | null> {
  if (wanted?.has('host') !== true) return null
  const server = await openServer(command)
  return {
    read: async () => toHosts(server, await server.ask({ path: '/v1/hosts', timeoutMs: 30_000 })),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Where nobody named a server and none runs here, the agents were not asked. */
function toHosts({ url, isNamed }: Server, reply: Reply): Observed<readonly HostFiles[]> {
  if (reply.kind === 'silent') {
    return isNamed
      ? blind('unreachable', `${url}: ${reply.why}`)
      : blind('not-asked', 'no signalbox serve answers here, so that no agent was asked')
  }
  if (reply.kind === 'refused') return blind(refusalCode(reply.status), `${url}: ${reply.why}`)
  const document = readDocument(reply.body)
  if (document === null) return blind('malformed', `${url}: it is not signalbox serve`)
  return seenList(listAt(document, 'hosts').map(toHost))
}

function toHost(row: unknown): HostFiles {
  const files = Object.entries(toFields(at(row, 'files'))).filter((entry): entry is [string, string] => {
    return typeof entry[1] === 'string'
  })
  return {
    node: textAt(row, 'node') ?? '',
    files: new Map(files),
    unread: listAt(row, 'unread').filter((why) => typeof why === 'string'),
  }
}

function refusalCode(status: number): BlindCode {
  if (status === 401) return 'unauthenticated'
  if (status === 429 || status >= 500) return 'server-error'
  // An older server does not know the path.
  return status === 404 ? 'not-asked' : 'forbidden'
}
