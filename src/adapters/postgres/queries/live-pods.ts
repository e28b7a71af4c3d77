import { gunzipSync, gzipSync } from 'node:zlib'
import type { LivePod, PresentPod } from '#/ports/store/live-pods.ts'
import { storedTypes } from '#/adapters/postgres/rows/rows.ts'
import type { Queryable } from '#/adapters/postgres/rows/rows.ts'

const PUT_LIVE_PODS = `
  insert into sightings (uid, namespace, pod, node, pool, seen_at, object)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bytea[])
  on conflict (uid) do update set
    namespace = excluded.namespace, pod = excluded.pod, node = excluded.node, pool = excluded.pool, seen_at = excluded.seen_at, object = excluded.object
  where excluded.seen_at >= sightings.seen_at`

export async function putLivePods(db: Queryable, pods: readonly LivePod[]): Promise<void> {
  // One statement may touch a row once.
  const latest = [...new Map(pods.toSorted((a, b) => a.seenAt - b.seenAt).map((one) => [one.uid, one])).values()]
  // One after the other: hundreds at once would take a quarter of a megabyte each while they last.
  const objects = latest.map(({ object }) => gzipSync(JSON.stringify(object ?? null)))
  await db.query({
    name: 'put-live-pods',
    text: PUT_LIVE_PODS,
    values: [
      latest.map(({ uid }) => uid),
      latest.map(({ namespace }) => namespace),
      latest.map(({ pod }) => pod),
      latest.map(({ node }) => node),
      latest.map(({ pool }) => pool),
      latest.map(({ seenAt }) => seenAt),
      objects,
    ],
  })
}

export async function removeLivePods(db: Queryable, uids: readonly string[]): Promise<void> {
  await db.query({
    name: 'remove-live-pods',
    text: 'delete from sightings where uid = any($1::text[])',
    values: [uids],
  })
}

type LivePodRow = Omit<LivePod, 'seenAt' | 'object'> & { readonly seen_at: number; readonly object: Buffer }

export async function listLivePods(db: Queryable, after: string | null, limit: number): Promise<readonly LivePod[]> {
  const { rows } = await db.query<LivePodRow>({
    text: `select * from sightings where ($1::text is null or uid > $1 collate "C") order by uid limit $2`,
    types: storedTypes,
    values: [after, limit],
  })
  return rows.map(livePodFromRow)
}

export async function listPodsNamed(db: Queryable, pod: string, limit: number): Promise<readonly PresentPod[]> {
  const { rows } = await db.query<Omit<LivePodRow, 'object'>>({
    text: `select uid, namespace, pod, node, pool, seen_at from sightings s
      where pod = $1 and not exists (select from postmortems d where d.uid = s.uid)
      order by seen_at desc, uid limit $2`,
    types: storedTypes,
    values: [pod, limit],
  })
  return rows.map(({ uid, namespace, pod: name, node, pool, seen_at: seenAt }) => {
    return { uid, namespace, pod: name, node, pool, seenAt }
  })
}

function livePodFromRow({ uid, namespace, pod, node, pool, seen_at, object }: LivePodRow): LivePod {
  const json = gunzipSync(object).toString('utf8')
  return { uid, namespace, pod, node, pool, seenAt: seen_at, object: JSON.parse(json) as unknown }
}
