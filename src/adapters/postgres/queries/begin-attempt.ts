import { isDoneOnce } from '#/core/ledger/acts.ts'
import { TAKES_PLACES } from '#/core/ledger/attempt.ts'
import type { Attempt } from '#/core/ledger/attempt.ts'
import { boundName, boundSubject } from '#/core/ledger/bounds.ts'
import type { UsedPlaces } from '#/core/ledger/cap.ts'
import { subjectKey } from '#/core/ledger/ledger-row.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { ledgerFromRow } from '#/adapters/postgres/rows/ledger.ts'
import type { StoredLedgerRow } from '#/adapters/postgres/rows/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

/** "ledg" in ASCII: the key sets this lock apart from all others. */
const LEDGER_LOCK = 0x6c_65_64_67

/** Held until the transaction ends: attempts begin one after the other, so that each counts those before it. */
export async function lockLedger(db: Queryable): Promise<void> {
  await db.query({
    name: 'lock-ledger',
    text: 'select pg_advisory_xact_lock($1::integer, 0)',
    values: [LEDGER_LOCK],
  })
}

/** As in the index `ledger_one_under_way`. */
const KEY = `md5(coalesce(subject_uid, subject_kind || '/' || coalesce(subject_namespace, '') || '/' || subject_name))`

const FIND_TAKEN = `
  (select * from ledger where outcome = 'planned' and act = $1 and ${KEY} = md5($2))
  union all
  (select * from ledger where outcome = 'done' and act = $1 and subject_uid = $3 order by id limit 1)
  limit 1`

/** The attempt that keeps this one from beginning. */
export async function findTaken(db: Queryable, { act, subject }: Attempt): Promise<LedgerRow | null> {
  const own = boundSubject(subject)
  const { rows } = await db.query<StoredLedgerRow>({
    name: 'find-taken-attempt',
    text: FIND_TAKEN,
    types: storedTypes,
    values: [act, subjectKey(own), isDoneOnce(act, own) ? own.uid : null],
  })
  return rows[0] === undefined ? null : ledgerFromRow(rows[0])
}

const COUNT_PLACES = `
  select
    coalesce(sum(places) filter (where run = $1), 0) as run,
    coalesce(sum(places) filter (where scale_set is not distinct from $2), 0) as set
  from (
    select run, scale_set, places from ledger where run = $1 and outcome = any($3)
    union all
    select run, scale_set, places from ledger where scale_set = $2 and outcome = 'planned' and run <> $1
  ) as taken`

export async function countPlaces(db: Queryable, attempt: Attempt): Promise<UsedPlaces> {
  const { rows } = await db.query<UsedPlaces>({
    name: 'count-places',
    text: COUNT_PLACES,
    types: storedTypes,
    values: [boundName(attempt.run), boundName(attempt.scaleSet), [...TAKES_PLACES]],
  })
  return { run: Number(rows[0]?.run), set: Number(rows[0]?.set) }
}
