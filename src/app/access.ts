import { userInfo } from 'node:os'
import { singleTokenSource, tokensFileSource } from '#/adapters/files/token-file.ts'
import type { Config } from '#/config/config.ts'
import type { Tokens } from '#/ports/store/tokens.ts'
import type { TokenSource } from '#/ports/token-source.ts'
import { createGuards } from '#/server/access/auth.ts'
import type { Guards } from '#/server/access/auth.ts'
import { isLoopback, peerAddress } from '#/server/access/local-only.ts'
import { createTokenBook } from '#/server/access/token-book.ts'
import { tokensApi } from '#/server/tokens-api.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { refusalCounter } from './guards.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

export type AccessPart = Part & {
  readonly guards: Guards
  /** Who may use the API, for the person who started the server. */
  readonly readableBy: string
}

/** Who may use the API, and `/v1/tokens`. */
export async function openAccess({ tokens, ...means }: PartMeans & { readonly tokens: Tokens }): Promise<AccessPart> {
  const { config, clock, log, metrics } = means
  const book = createTokenBook({ store: tokens, files: await openSources(config.api), clock, log })
  const guards = createGuards({
    tokens: book,
    isOpenHere: config.api.openToThisMachine,
    socketUser: userName(),
    peerAddress,
    clock,
    log,
    refused: refusalCounter(metrics),
  })
  const handler = tokensApi({ guards, store: tokens, book, clock, log })
  const readableBy = describeReaders(config)
  return { guards, readableBy, routes: [{ path: '/v1/tokens', handler }], dispose: nothingToDispose }
}

/** A file that cannot be used is found when the program starts, not when somebody knocks. */
async function openSources({ tokenFile, tokensFile }: Config['api']): Promise<readonly TokenSource[]> {
  const sources = [
    ...(tokenFile === null ? [] : [singleTokenSource('api.tokenFile', tokenFile)]),
    ...(tokensFile === null ? [] : [tokensFileSource('api.tokensFile', tokensFile)]),
  ]
  for (const { setting, read } of sources) {
    const content = await read()
    if ('fault' in content) {
      throw new AppFailure('configuration', `${setting}: ${content.fault}`, [
        setting === 'api.tokenFile'
          ? 'make one: openssl rand -hex 32 > FILE, readable for this user only'
          : 'make a line: signalbox token create NAME --role read --offline',
      ])
    }
  }
  return sources
}

/** A container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}

function describeReaders({ listen: { host }, api: { socket, openToThisMachine }, tls }: Config): string {
  const ways = [
    'holders of a token (signalbox token create)',
    ...(socket === null ? [] : [`this user on ${socket.path}`]),
    ...(openToThisMachine ? ['every process on this machine (api.openToThisMachine)'] : []),
  ]
  const isPlain = tls === null && !isLoopback(host)
  return `${ways.join(', ')}${isPlain ? '; tokens travel in plain text: configure tls.certFile' : ''}`
}
