import { gzipSync } from 'node:zlib'
import { boundEvidence } from '#/adapters/storable/bound-evidence.ts'
import type { DeathRecord, DeathFilter, Deaths, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { asStored } from './as-stored.ts'
import { byText } from './tables.ts'
import type { StoredEvidence, Tables } from './tables.ts'

export function memoryDeaths({ postmortems }: Tables): Deaths {
  return {
    record: async (postmortem, evidence) => {
      const former = postmortems.get(postmortem.uid)
      postmortems.set(postmortem.uid, {
        postmortem: former === undefined ? storedDeath(postmortem) : fillIn(former.postmortem, postmortem),
        evidence: addEvidence(former?.evidence ?? new Map(), evidence),
      })
    },
    rejudge: async (uid, verdict) => {
      const stored = postmortems.get(uid)
      if (stored === undefined) return 'absent'
      postmortems.set(uid, { ...stored, postmortem: { ...stored.postmortem, verdict: storedVerdict(verdict) } })
      return 'changed'
    },
    get: async (uid) => {
      const stored = postmortems.get(uid)
      if (stored === undefined) return null
      const evidence = [...stored.evidence.values()].map(({ part }) => part)
      return { death: stored.postmortem, evidence: evidence.sort((a, b) => byText(a.source, b.source)) }
    },
    list: async (filter) =>
      [...postmortems.values()]
        .map(({ postmortem }) => postmortem)
        .filter((one) => fits(one, filter))
        .sort(latestFirst)
        .slice(0, filter.limit),
  }
}

function latestFirst(a: Pick<DeathRecord, 'diedAt' | 'uid'>, b: Pick<DeathRecord, 'diedAt' | 'uid'>): number {
  return b.diedAt - a.diedAt || byText(b.uid, a.uid)
}

function fits(one: DeathRecord, filter: DeathFilter): boolean {
  const { since, until, cause, kind, node, pool, repository, job, name, after } = filter
  const wanted: readonly (readonly [unknown, ...unknown[]])[] = [
    [node, one.node],
    [pool, one.pool],
    [repository, one.repository],
    [job, one.job],
    [cause, one.verdict?.cause],
    [kind, one.verdict?.kind],
    [name, one.pod, one.runner],
  ]
  return (
    wanted.every(([asked, ...known]) => asked === undefined || known.includes(asked)) &&
    one.diedAt >= (since ?? -Infinity) &&
    one.diedAt < (until ?? Infinity) &&
    (after === undefined || latestFirst(after, one) < 0)
  )
}

function storedDeath(postmortem: DeathRecord): DeathRecord {
  return { ...postmortem, verdict: postmortem.verdict === null ? null : storedVerdict(postmortem.verdict) }
}

function storedVerdict(verdict: Verdict): Verdict {
  return { ...verdict, document: asStored(verdict.document) }
}

function fillIn(former: DeathRecord, added: DeathRecord): DeathRecord {
  return {
    ...former,
    node: former.node ?? added.node,
    scope: former.scope ?? added.scope,
    job: former.job ?? added.job,
    pool: former.pool ?? added.pool,
    repository: former.repository ?? added.repository,
    runner: former.runner ?? added.runner,
    missed: former.missed && added.missed,
    diedAt: former.verdict?.kind === 'never-started' && added.verdict !== null ? added.diedAt : former.diedAt,
    verdict: former.verdict ?? storedDeath(added).verdict,
  }
}

const HOW_MUCH_SEEN = { blind: 0, none: 1, seen: 2 } as const

function addEvidence(
  former: ReadonlyMap<string, StoredEvidence>,
  added: readonly EvidencePart[],
): ReadonlyMap<string, StoredEvidence> {
  const parts = new Map(former)
  for (const { revision = 0, ...part } of added.map(boundEvidence)) {
    const known = parts.get(part.source)
    if (known !== undefined && !isBetter({ part, revision }, known)) continue
    // The bytes are counted as PostgreSQL stores them, so that both stores keep the same evidence.
    const storedBytes = part.content === null ? 0 : gzipSync(part.content).length
    parts.set(part.source, { part, storedBytes, revision })
  }
  return parts
}

type Weighed = { readonly part: Pick<EvidencePart, 'observed'>; readonly revision: number }

function isBetter(added: Weighed, known: Weighed): boolean {
  const more = HOW_MUCH_SEEN[added.part.observed] - HOW_MUCH_SEEN[known.part.observed]
  return more > 0 || (more === 0 && added.revision > known.revision)
}
