import { EXPIRED_EVIDENCE } from '#/adapters/storable/bound-evidence.ts'
import type { Retention } from '#/ports/store/retention.ts'
import { byText } from './tables.ts'
import type { StoredDeath, Tables } from './tables.ts'

export function memoryRetention(tables: Tables): Retention {
  return {
    sweep: async (policy, now) => {
      const beforeJobs = now - policy.finishedJobsMs
      const deliveries = removeWhere(
        tables.deliveries,
        ({ delivery }) => delivery.receivedAt < now - policy.deliveriesMs,
      )
      const jobs = [...tables.jobs.values()].filter((job) => job.state === 'finished' && job.finishedAt < beforeJobs)
      for (const { id } of jobs) {
        tables.dropJob(id)
        tables.history.delete(id)
      }
      const slots = [...tables.slots.values()].filter(
        (slot) => 'endedAt' in slot && slot.endedAt < beforeJobs && !tables.heldBy.has(slot.uid),
      )
      for (const { uid } of slots) tables.dropSlot(uid)
      const postmortems = removeWhere(
        tables.postmortems,
        ({ postmortem }) => postmortem.recordedAt < now - policy.deathsMs,
      )
      const notices = removeWhere(tables.notices, ({ at }) => at < now - policy.deathsMs)
      const kept = tables.ledger.filter(({ at }) => at >= now - policy.ledgerMs)
      const ledger = tables.ledger.length - kept.length
      tables.ledger = kept
      const evidence = expireEvidence(tables.postmortems, policy.evidenceBytes)
      return { deliveries, jobs: jobs.length, slots: slots.length, postmortems, notices, ledger, ...evidence }
    },
  }
}

function removeWhere<K, V>(map: Map<K, V>, isOld: (value: V) => boolean): number {
  const old = [...map].filter(([, value]) => isOld(value))
  for (const [key] of old) map.delete(key)
  return old.length
}

/** Keeps the newest evidence whose bytes together fit, and empties all that is older. */
function expireEvidence(
  postmortems: Map<string, StoredDeath>,
  limitBytes: number,
): { readonly evidenceParts: number; readonly evidenceBytesLeft: number } {
  let seenBytes = 0
  let evidenceBytesLeft = 0
  let evidenceParts = 0
  const newestFirst = [...postmortems.values()].sort(
    ({ postmortem: a }, { postmortem: b }) => b.recordedAt - a.recordedAt || byText(b.uid, a.uid),
  )
  for (const stored of newestFirst) {
    const evidence = new Map(stored.evidence)
    for (const [source, { storedBytes, revision }] of [...evidence].sort(([a], [b]) => byText(b, a))) {
      if (storedBytes === 0) continue
      seenBytes += storedBytes
      if (seenBytes <= limitBytes) {
        evidenceBytesLeft = seenBytes
        continue
      }
      evidenceParts += 1
      const part = { source, observed: 'blind', reason: EXPIRED_EVIDENCE, content: null } as const
      evidence.set(source, { part, storedBytes: 0, revision })
    }
    postmortems.set(stored.postmortem.uid, { ...stored, evidence })
  }
  return { evidenceParts, evidenceBytesLeft }
}
