import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

export async function claimNotice(
  db: Queryable,
  { channel, key, at }: { readonly channel: string; readonly key: string; readonly at: number },
): Promise<'new' | 'repeated'> {
  const { rowCount } = await db.query({
    name: 'claim-notice',
    text: 'insert into notices (channel, key, at) values ($1, $2, $3) on conflict do nothing',
    values: [channel, key, at],
  })
  return rowCount === 1 ? 'new' : 'repeated'
}

export async function releaseNotice(db: Queryable, channel: string, key: string): Promise<void> {
  await db.query({
    name: 'release-notice',
    text: 'delete from notices where channel = $1 and key = $2',
    values: [channel, key],
  })
}

export async function hasNotice(db: Queryable, channel: string, key: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'has-notice',
    text: 'select from notices where channel = $1 and key = $2',
    values: [channel, key],
  })
  return rowCount === 1
}

export async function countNotices(db: Queryable, channel: string, since: number): Promise<number> {
  const { rows } = await db.query<{ readonly sent: number }>({
    text: 'select count(*) as sent from notices where channel = $1 and at >= $2',
    types: storedTypes,
    values: [channel, since],
  })
  return rows[0]?.sent ?? 0
}

const DELETE_OLD_NOTICES = `
  delete from notices where (channel, key) in (
    select channel, key from notices where at < $1 order by at, channel, key limit $2 for update skip locked
  )`

export async function deleteOldNotices(db: Queryable, before: number, limit: number): Promise<number> {
  const { rowCount } = await db.query({ name: 'delete-old-notices', text: DELETE_OLD_NOTICES, values: [before, limit] })
  return rowCount ?? 0
}
