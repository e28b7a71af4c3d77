import type { HttpMeans } from '#/adapters/http/exchange.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Secret } from '#/core/basics/secret.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LogStore, StoredLog, StoreWindow } from '#/ports/log-store.ts'
import { toJournalLine } from './journal-line.ts'
import type { LokiAddress, LokiLine } from './query-range.ts'
import { readWindow, WINDOW_LIMITS } from './read-window.ts'
import type { LokiMeans, WindowLimits, WindowReading } from './read-window.ts'

export type LokiOptions = {
  readonly url: string
  /** Sent as `X-Scope-OrgID`. */
  readonly tenant: string | null
  /** With it the token is a password. */
  readonly user: string | null
  readonly token: Secret | null
  /** LogQL with `$node`, and with `$namespace` and `$pod`. */
  readonly selectors: { readonly journal: string; readonly pod: string }
  readonly http: HttpMeans
  readonly clock: Clock
  readonly limits?: Partial<WindowLimits>
}

/** Journals and logs that are in Loki already. It is only read. */
export function createLokiStore(options: LokiOptions): LogStore {
  const { http, clock, selectors } = options
  const limits = { ...WINDOW_LIMITS, ...options.limits }
  const means: LokiMeans = { http, clock, limits, address: toAddress(options) }
  return {
    journal: async (node, window, signal) => {
      const query = fill(selectors.journal, { node })
      const read = await readWindow(means, query, window, signal)
      if ('kind' in read) return read
      if (read.lines.length === 0) return nothing(query)
      const text = read.lines.map((line) => `${toJournalLine(line, node)}\n`).join('')
      return seen({ text, ...covered(read, window) })
    },
    podLogs: async (pod, window, signal) => {
      const query = fill(selectors.pod, { namespace: pod.namespace, pod: pod.pod })
      const read = await readWindow(means, query, window, signal)
      if ('kind' in read) return read
      if (read.lines.length === 0) return nothing(query)
      const groups = Map.groupBy(read.lines, ({ labels }) => labels['container'] ?? null)
      const { from, to, cut } = covered(read, window)
      return seen(
        [...groups].map(([container, lines]): StoredLog => {
          return { container, text: lines.map(printLine).join(''), from, to, cut }
        }),
      )
    },
  }
}

function toAddress({ url, tenant, user, token }: LokiOptions): LokiAddress {
  const given = token?.reveal() ?? ''
  const basic = `Basic ${Buffer.from(`${user ?? ''}:${given}`).toString('base64')}`
  const authorization = user === null ? `Bearer ${given}` : basic
  return {
    url: url.replace(/\/+$/, ''),
    headers: {
      'user-agent': 'signalbox',
      ...(tenant === null ? {} : { 'x-scope-orgid': tenant }),
      ...(token === null ? {} : { authorization }),
    },
  }
}

/** A value stands between quotes: it must not end them. */
function fill(selector: string, values: Readonly<Record<string, string>>): string {
  return selector.replaceAll(/\$(?<name>[a-z]+)/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : JSON.stringify(value).slice(1, -1)
  })
}

/** No stream matches, or none has lines of that time: Loki does not distinguish them. */
function nothing(query: string) {
  return blind(
    'expired',
    `Loki has no line for ${query} in that time: it is not shipped, it was deleted, or the selector is wrong`,
  )
}

function covered({ from, cut }: WindowReading, window: StoreWindow) {
  return { from: Math.max(from, window.from), to: window.to, cut }
}

/** As `kubectl logs --timestamps` prints it. */
function printLine({ ns, line }: LokiLine): string {
  const second = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)
  const fraction = String(ns % 1_000_000_000n).padStart(9, '0')
  return `${second}.${fraction}Z ${line.replace(/\n$/, '')}\n`
}
