import type { Move } from '#/core/ledger/attempt.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import type { AttemptHandle } from '#/ports/store/ledger.ts'
import { ledgerFromRow } from '#/adapters/postgres/rows/ledger.ts'
import type { StoredLedgerRow } from '#/adapters/postgres/rows/ledger.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const MOVE_ATTEMPT = `
  update ledger set
    steps = steps || $3::jsonb,
    gates = coalesce($4::json, gates),
    evidence = coalesce(evidence, $5),
    outcome = coalesce($6, outcome),
    decided_by = $7,
    why = $8,
    ended_at = $9
  where id = $1 and outcome = 'planned' and jsonb_array_length(steps) = $2
  returning *`

/** Null if the attempt is not as it was read. */
export async function moveAttempt(db: Queryable, { id, steps }: AttemptHandle, move: Move): Promise<LedgerRow | null> {
  const { step, gates, evidence, end } = move
  const written = [JSON.stringify([step]), gates === null ? null : JSON.stringify(gates), evidence]
  const ended = [end?.outcome ?? null, end?.decidedBy ?? null, end?.why ?? null, end?.endedAt ?? null]
  const { rows } = await db.query<StoredLedgerRow>({
    name: 'move-attempt',
    text: MOVE_ATTEMPT,
    types: storedTypes,
    values: [id, steps.length, ...written, ...ended],
  })
  return rows[0] === undefined ? null : ledgerFromRow(rows[0])
}
