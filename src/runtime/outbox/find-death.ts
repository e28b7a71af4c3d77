import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { DeathRecord, Deaths } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { fillInDeath, isBetterEvidence } from '#/ports/store/fill-in-death.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'
import type { Outbox } from './outbox.ts'

type Means<D extends keyof Deaths> = {
  readonly deaths: Pick<Deaths, D>
  readonly outbox: Pick<Outbox, 'find'>
}

/** The row of a death by what is stored, and by what still waits to be. Throws where the store cannot be read and nothing waits. */
export async function findRow({ deaths, outbox }: Means<'list'>, death: RowAsked): Promise<DeathRecord | null> {
  const { uid, name } = death
  // The spool first: what it hands over meanwhile is in the store by then.
  const waiting = (await outbox.find(uid)).map(({ postmortem }) => postmortem)
  const stored = await deaths.list({ name, limit: MOST_NAMESAKES }).catch((error: unknown) => {
    if (waiting.length > 0) return []
    throw error
  })
  const own = stored.filter((row) => row.uid === uid)
  return [...own, ...waiting].reduce<DeathRecord | null>(
    (former, added) => (former === null ? added : fillInDeath(former, added)),
    null,
  )
}

export type RowAsked = { readonly uid: string; readonly name: string }

const MOST_NAMESAKES = 20

/**
 * The evidence of a death, stored and waiting; null where there is none. Throws where the store is unavailable and what waits
 * is not all: the rest would be taken for what was never there.
 */
export async function findEvidence(
  { deaths, outbox }: Means<'get'>,
  uid: string,
): Promise<readonly EvidencePart[] | null> {
  const waiting = (await outbox.find(uid)).flatMap(({ evidence }) => evidence)
  // What is written first has the pod. Then all of it waits, and a store that does not answer need not be asked.
  const isAll = waiting.some(({ source, content }) => source === POD && content !== null)
  const stored = isAll ? [] : await readStored(deaths, uid)
  const parts = new Map(stored.map((part) => [part.source, part]))
  for (const part of waiting) {
    const known = parts.get(part.source)
    if (known === undefined || isBetterEvidence(part, known)) parts.set(part.source, part)
  }
  return parts.size === 0 ? null : [...parts.values()]
}

const POD = bundlePath.resource('pods')

async function readStored(deaths: Pick<Deaths, 'get'>, uid: string): Promise<readonly EvidencePart[]> {
  try {
    return (await deaths.get(uid))?.evidence ?? []
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    // It would fail again: the death is judged without it.
    return []
  }
}
