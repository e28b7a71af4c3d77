import { types } from 'pg'
import type { ClientBase, CustomTypesConfig, Pool } from 'pg'

/** A pool, or the client of a transaction. */
export type Queryable = Pick<Pool | ClientBase, 'query'>

/** Ids of GitHub and times in milliseconds are far below 2^53, so a bigint is read as a number. */
export const storedTypes: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format) as (value: string) => unknown),
}

/** A column that the check constraint of its table promises for the state of the row. */
export function promised<T>(value: T | null, column: string): T {
  if (value === null) throw new Error(`column ${column} is null in a state that promises it`)
  return value
}
