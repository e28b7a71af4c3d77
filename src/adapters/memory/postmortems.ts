import { gzipSync } from 'node:zlib'
import { boundEvidence } from '#/adapters/bound-evidence.ts'
import type { EvidencePart, Postmortem, Postmortems, Verdict } from '#/ports/store.ts'
import { asStored } from './as-stored.ts'
import { byText } from './tables.ts'
import type { StoredEvidence, Tables } from './tables.ts'

export function memoryPostmortems({ postmortems }: Tables): Postmortems {
  return {
    record: async (postmortem, evidence) => {
      const former = postmortems.get(postmortem.uid)
      postmortems.set(postmortem.uid, {
        postmortem: former === undefined ? storedPostmortem(postmortem) : fillIn(former.postmortem, postmortem),
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
      return { postmortem: stored.postmortem, evidence: evidence.sort((a, b) => byText(a.source, b.source)) }
    },
    list: async ({ since, cause, node, limit }) =>
      [...postmortems.values()]
        .map(({ postmortem }) => postmortem)
        .filter(
          (one) =>
            (since === undefined || one.diedAt >= since) &&
            (cause === undefined || one.verdict?.cause === cause) &&
            (node === undefined || one.node === node),
        )
        .sort((a, b) => b.diedAt - a.diedAt || byText(b.uid, a.uid))
        .slice(0, limit),
  }
}

function storedPostmortem(postmortem: Postmortem): Postmortem {
  return { ...postmortem, verdict: postmortem.verdict === null ? null : storedVerdict(postmortem.verdict) }
}

function storedVerdict(verdict: Verdict): Verdict {
  return { ...verdict, document: asStored(verdict.document) }
}

function fillIn(former: Postmortem, added: Postmortem): Postmortem {
  return {
    ...former,
    node: former.node ?? added.node,
    scope: former.scope ?? added.scope,
    job: former.job ?? added.job,
    verdict: former.verdict ?? storedPostmortem(added).verdict,
  }
}

const HOW_MUCH_SEEN = { blind: 0, none: 1, seen: 2 } as const

function addEvidence(
  former: ReadonlyMap<string, StoredEvidence>,
  added: readonly EvidencePart[],
): ReadonlyMap<string, StoredEvidence> {
  const parts = new Map(former)
  for (const part of added.map(boundEvidence)) {
    const known = parts.get(part.source)?.part
    if (known !== undefined && HOW_MUCH_SEEN[part.observed] <= HOW_MUCH_SEEN[known.observed]) continue
    // The bytes are counted as PostgreSQL stores them, so that both stores keep the same evidence.
    parts.set(part.source, { part, storedBytes: part.content === null ? 0 : gzipSync(part.content).length })
  }
  return parts
}
