import { gzipSync } from 'node:zlib'
import { boundEvidence } from '#/adapters/storable/bound-evidence.ts'
import { BEFORE_ACT } from '#/core/ledger/evidence-uid.ts'
import { MOST_HISTORY } from '#/ports/store/deaths.ts'
import type { DeathRecord, DeathFilter, Deaths, Verdict } from '#/ports/store/deaths.ts'
import type { EvidencePart } from '#/ports/store/evidence.ts'
import { fillInDeath, isBetterEvidence } from '#/ports/store/fill-in-death.ts'
import { asStored } from './as-stored.ts'
import { byText } from './tables.ts'
import type { StoredDeath, StoredEvidence, Tables } from './tables.ts'

export function memoryDeaths({ postmortems }: Tables): Deaths {
  return {
    record: async (postmortem, evidence) => {
      const former = postmortems.get(postmortem.uid)
      const next =
        former === undefined ? storedDeath(postmortem) : fillInDeath(former.postmortem, storedDeath(postmortem))
      postmortems.set(postmortem.uid, {
        postmortem: next,
        evidence: addEvidence(former?.evidence ?? new Map(), evidence),
        history: former === undefined ? [] : addHistory(former, next.verdict),
      })
    },
    rejudge: async (uid, verdict) => {
      const stored = postmortems.get(uid)
      if (stored === undefined) return 'absent'
      const postmortem = { ...stored.postmortem, verdict: storedVerdict(verdict) }
      postmortems.set(uid, { ...stored, postmortem, history: addHistory(stored, verdict) })
      return 'changed'
    },
    get: async (uid) => {
      const stored = postmortems.get(uid)
      if (stored === undefined) return null
      const evidence = [...stored.evidence.values()].map(({ part }) => part)
      return { death: stored.postmortem, evidence: evidence.sort((a, b) => byText(a.source, b.source)) }
    },
    history: async (uid) => postmortems.get(uid)?.history.slice(0, MOST_HISTORY) ?? [],
    list: async (filter) =>
      [...postmortems.values()]
        .map(({ postmortem }) => postmortem)
        .filter((one) => one.verdict?.kind !== BEFORE_ACT && fits(one, filter))
        .sort(latestFirst)
        .slice(0, filter.limit),
  }
}

function latestFirst(a: Pick<DeathRecord, 'diedAt' | 'uid'>, b: Pick<DeathRecord, 'diedAt' | 'uid'>): number {
  return b.diedAt - a.diedAt || byText(b.uid, a.uid)
}

function fits(one: DeathRecord, filter: DeathFilter): boolean {
  const { since, until, cause, kind, unjudged, node, pool, repository, job, name, after } = filter
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
    (unjudged !== true || one.verdict === null) &&
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

function addHistory({ postmortem, history }: StoredDeath, next: Verdict | null): readonly Verdict[] {
  const former = postmortem.verdict
  return former === null || next === null || isSame(former, next) ? history : [former, ...history]
}

function isSame(a: Verdict, b: Verdict): boolean {
  return a.judgedAt === b.judgedAt && a.rules === b.rules && a.cause === b.cause
}

function addEvidence(
  former: ReadonlyMap<string, StoredEvidence>,
  added: readonly EvidencePart[],
): ReadonlyMap<string, StoredEvidence> {
  const parts = new Map(former)
  for (const { revision = 0, ...part } of added.map(boundEvidence)) {
    const known = parts.get(part.source)
    if (known !== undefined && !isBetterEvidence({ ...part, revision }, { ...known.part, revision: known.revision }))
      continue
    // The bytes are counted as PostgreSQL stores them, so that both stores keep the same evidence.
    const storedBytes = part.content === null ? 0 : gzipSync(part.content).length
    parts.set(part.source, { part, storedBytes, revision })
  }
  return parts
}
