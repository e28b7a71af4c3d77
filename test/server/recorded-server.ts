import { resolve } from 'node:path'
import { systemClock } from '#/adapters/clock.ts'
import { openArchiveFiles } from '#/adapters/bundle/archive-files.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { memoryStore } from '#/adapters/memory/store.ts'
import { singleTokenSource } from '#/adapters/files/token-file.ts'
import { makeJudge, packEvidence, redactToBytes } from '#/app/judging.ts'
import type { DeathRecord, Deaths } from '#/ports/store/deaths.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { LivePod } from '#/ports/store/live-pods.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { rejudgePage } from '#/runtime/recorder/rejudge.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { keepBeforeAct } from '#/runtime/ledger/keep-before-act.ts'
import { evidenceApi } from '#/server/ledger/evidence.ts'
import { createApp, guardedApi } from '#/server/app.ts'
import { createGuards } from '#/server/auth.ts'
import { deathsApi } from '#/server/deaths.ts'
import { admitAll } from './open-guards.ts'
import { ledgerApi } from '#/server/ledger/ledger.ts'
import { certificateFiles } from '#/adapters/files/certificate-files.ts'
import { listen } from '#/server/listen.ts'
import { peerAddress } from '#/server/local-only.ts'
import { createTokenBook } from '#/server/token-book.ts'
import { tokensApi } from '#/server/tokens-api.ts'

export type RecordedServer = AsyncDisposable & {
  readonly url: string
  /** Deaths that are added while it runs. */
  readonly record: (death: RecordedDeath) => Promise<void>
  readonly ledger: Ledger
  readonly deaths: Deaths
}

/** Each died an hour before the previous entry, the first an hour ago. */
export type RecordedDeath = Partial<DeathRecord> & {
  /** A bundle of test/bundles/deaths; without one only the row is stored. */
  readonly bundle?: string
  readonly cause?: string
}

export type RecordedOptions = {
  readonly tokenFile?: string
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  /** Pods that the recorder watches. */
  readonly live?: readonly LivePod[]
  /** Whether callers on this machine need a token. */
  readonly isClosed?: boolean
}

/** The API of `signalbox serve`, with deaths that are already recorded. */
export async function serveRecorded(
  deaths: readonly RecordedDeath[],
  { tokenFile, tls, isClosed = false, live = [] }: RecordedOptions = {},
): Promise<RecordedServer> {
  const { deaths: postmortems, livePods, tokens, ledger } = memoryStore()
  await livePods.put(live)
  let recorded = 0
  const record = async (death: RecordedDeath): Promise<void> => {
    const row = toRecord(death, recorded)
    recorded += 1
    await postmortems.record(row, death.bundle === undefined ? [] : await evidenceIn(death.bundle))
  }
  for (const death of deaths) await record(death)
  const judging = { judge: makeJudge(), rules: 'test' }
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const files = tokenFile === undefined ? [] : [singleTokenSource('api.tokenFile', tokenFile)]
  const book = createTokenBook({ store: tokens, files, clock: systemClock, log })
  const guards = createGuards({
    tokens: book,
    isOpenHere: !isClosed,
    socketUser: 'test',
    peerAddress,
    clock: systemClock,
    log,
  })
  const api = {
    guards,
    deaths: deathsApi({
      guards,
      deaths: postmortems,
      livePods,
      pack: packEvidence,
      rejudge: (order) => rejudgePage(judging, postmortems, { ...order, now: Date.now() }),
      admit: admitAll,
      mostRejudges: 2,
    }),
  }
  const access = tokensApi({ guards, store: tokens, book, clock: systemClock, log })
  const acts = ledgerApi({ guards, ledger, writes: ledger, clock: systemClock, admit: admitAll })
  const redact = redactToBytes
  const keeping = { ledger, deaths: postmortems, redact, rules: 'test', clock: systemClock }
  const evidence = evidenceApi({
    guards,
    admit: admitAll,
    keep: async (attempt, given) => await keepBeforeAct(keeping, attempt, given),
  })
  const routes = [
    { path: '/v1/evidence', handler: evidence },
    ...guardedApi(api),
    { path: '/v1/tokens', handler: access },
    { path: '/v1/ledger', handler: acts },
  ]
  const app = createApp({ version: '1', metrics: createMetrics(), readiness: [], log: { error: () => {} }, routes })
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, tls ? certificateFiles(tls) : null)
  if (listening.kind === 'refused') throw new Error(listening.why)
  return { url: listening.url, record, ledger, deaths: postmortems, [Symbol.asyncDispose]: () => listening.close() }
}

function toRecord({ bundle: _bundle, cause = 'node-lost', ...given }: RecordedDeath, index: number): DeathRecord {
  const diedAt = Date.now() - 3_600_000 * (index + 1)
  const document = { sentence: `It was ${cause}.`, next: ['Look.'], blind: [] }
  return {
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    namespace: 'runners',
    pod: `pod-${index}`,
    node: 'n1',
    scope: null,
    job: null,
    pool: 'linux',
    repository: null,
    runner: null,
    missed: false,
    diedAt,
    recordedAt: diedAt + 1000,
    verdict: { cause, kind: 'death', confidence: 0.8, rules: '1', judgedAt: diedAt, document },
    ...given,
  }
}

async function evidenceIn(name: string): Promise<readonly EvidencePart[]> {
  const archive = resolve(import.meta.dirname, '..', 'bundles', 'deaths', `${name}.tar.gz`)
  const files = await openArchiveFiles(archive, BUNDLE_LIMITS, new AbortController().signal)
  try {
    const parts: EvidencePart[] = []
    for (const source of files.sizes.keys()) {
      const chunks: Uint8Array[] = []
      for await (const chunk of files.chunks(source)) chunks.push(Uint8Array.from(chunk))
      parts.push({ source, observed: 'seen', reason: null, content: Buffer.concat(chunks) })
    }
    return parts
  } finally {
    await files.close()
  }
}
