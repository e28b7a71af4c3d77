import { userInfo } from 'node:os'
import { openFolderLedger } from '#/adapters/act-folder/folder-ledger.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { openServer, readDocument } from '#/cli/api-client/ask-server.ts'
import type { Server } from '#/cli/api-client/ask-server.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import { remoteLedger } from './remote-ledger.ts'
import { storeAtServer, storeInFolder } from './store-evidence.ts'
import type { EvidenceStore } from './store-evidence.ts'

/** Where a command that acts writes what it does, and keeps what it removes. */
export type ActBook = AsyncDisposable &
  EvidenceStore & {
    readonly ledger: Ledger
    /** As the ledger will name who acted. */
    readonly actor: string
    /** For a person: the server's address, or the folder. */
    readonly where: string
  }

export type ActBookContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'>

/** A folder if one is given, otherwise the server. Without a durable ledger it throws: then nothing may act. */
export async function openActBook(
  context: ActBookContext,
  { evidence }: { readonly evidence: string | undefined },
): Promise<ActBook> {
  const { clock } = context
  await using opened = new AsyncDisposableStack()
  const { config } = await context.config()
  const kubernetes = opened.adopt(openCluster(config, await readNetwork(config), clock), async (cluster) => {
    await cluster?.[Symbol.asyncDispose]()
  })
  const means = { kubernetes, clock }
  const book =
    evidence === undefined ? await openAtServer(context, means, opened) : await openInFolder(evidence, means, opened)
  const owned = opened.move()
  return { ...book, ledger: forPeople(book.ledger), [Symbol.asyncDispose]: async () => await owned.disposeAsync() }
}

type Book = Omit<ActBook, typeof Symbol.asyncDispose>
type EvidenceMeans = Parameters<typeof storeInFolder>[1]

async function openInFolder(folder: string, means: EvidenceMeans, opened: AsyncDisposableStack): Promise<Book> {
  const opening = await openFolderLedger(folder)
  if (opening.kind === 'held') {
    const who = opening.pid === null ? 'another signalbox' : `another signalbox (pid ${opening.pid})`
    throw new CommandFailure(EXIT.blind, `${who} is using ${folder}`, ['wait until it ends, or use another folder'])
  }
  if (opening.kind === 'refused') throw noLedger([opening.why])
  const { ledger } = opened.use(opening.opened)
  return { ledger, ...storeInFolder(folder, means), actor: `user/${userName()}`, where: folder }
}

/** A container may have a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

async function openAtServer(
  context: ActBookContext,
  means: EvidenceMeans,
  opened: AsyncDisposableStack,
): Promise<Book> {
  const server = opened.use(await openServer(context))
  const actor = await askActor(server)
  const ledger = remoteLedger({ server, clock: context.clock, signal: context.signal, actor })
  return { ledger, ...storeAtServer(server, means), actor, where: server.url }
}

const LOOKUP_MS = 10_000

/** Asked before anything is done: it also proves that we may write. */
async function askActor(server: Server): Promise<string> {
  const reply = await server.ask({ path: '/v1/ledger/actor', timeoutMs: LOOKUP_MS })
  if (reply.kind === 'silent') throw noLedger([`no server answers at ${server.url}: ${reply.why}`])
  if (reply.kind === 'refused') throw noLedger([`${server.url}: ${reply.why}`, ...reply.advice])
  const actor = textAt(readDocument(reply.body), 'actor')
  if (actor === null) throw noLedger([`the server at ${server.url} is not signalbox serve`])
  return actor
}

/** Exit 3, with what a person can do about it. */
function noLedger(why: readonly string[]): CommandFailure {
  return new CommandFailure(EXIT.blind, 'nothing can keep the ledger of this act, so nothing is done', [
    ...why,
    'start the server: signalbox serve',
    'or use another server: --server URL (--token-file FILE, with the role operate)',
    'or keep ledger and evidence in a folder: --evidence DIR',
  ])
}

/** A ledger that cannot be written ends the command; what was begun is taken up by the next run. */
function forPeople(ledger: Ledger): Ledger {
  const guarded =
    <G extends readonly unknown[], A>(call: (...given: G) => Promise<A>) =>
    async (...given: G): Promise<A> => {
      try {
        return await call(...given)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        throw new CommandFailure(EXIT.blind, error.message, [
          'run the command again: it takes up what was begun; see signalbox ledger --outcome planned',
        ])
      }
    }
  return {
    begin: guarded(ledger.begin),
    advance: guarded(ledger.advance),
    end: guarded(ledger.end),
    record: guarded(ledger.record),
    list: guarded(ledger.list),
  }
}
