import { Hono } from 'hono'
import type { MiddlewareHandler } from 'hono'
import { toLedgerDocument } from '#/core/ledger/ledger-document.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { Guards } from '#/server/auth.ts'
import { ledgerQuery, toLedgerFilter } from '#/server/ledger-schemas.ts'
import { addLedgerWrites } from './ledger-writes.ts'
import type { LedgerWrites } from './ledger-writes.ts'
import { SCHEMA_VERSION } from '#/server/openapi-schemas.ts'
import { onlyAllows, sendProblem } from '#/server/problem.ts'
import { readQuery } from '#/server/read-query.ts'

export type LedgerOptions = {
  readonly guards: Guards
  readonly ledger: Pick<Ledger, 'list'>
  /** What commands that act write to. */
  readonly writes: LedgerWrites['ledger']
  readonly clock: LedgerWrites['clock']
  /** Gives each request its turn. */
  readonly admit: MiddlewareHandler
}

/** `/v1/ledger`: everybody's attempts for `read`, and one's own for `operate`. */
export function ledgerApi({ guards, ledger, writes, clock, admit }: LedgerOptions): Hono {
  const api = new Hono()
  api.get('/', guards.read, admit, async (c) => {
    const query = readQuery(c, ledgerQuery)
    if ('status' in query) return sendProblem(c, query)
    const filter = toLedgerFilter(query)
    const rows = await ledger.list(filter)
    const last = rows.at(-1)
    const next = last === undefined || rows.length < filter.limit ? null : `${last.at}_${last.id}`
    return c.json({ schemaVersion: SCHEMA_VERSION, ledger: rows.map(toLedgerDocument), next })
  })
  api.all('/', guards.read, (c) => onlyAllows(c, ['GET', 'HEAD']))
  addLedgerWrites(api, { guards, ledger: writes, clock, admit })
  return api
}
