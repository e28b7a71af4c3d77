import { readPod } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'
import { timeOfDeath } from '#/core/recorder/end-of-life.ts'
import type { Clock } from '#/ports/clock.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { DeathRecord, Deaths } from '#/ports/store/deaths.ts'

/** Names of pods are not used twice in a row, and a name can be that of a runner. */
const MOST_NAMESAKES = 10
/** A death that nobody could judge has been read by then. */
const UNJUDGED_MS = 15 * 60_000

type Means = { readonly deaths: Pick<Deaths, 'list'>; readonly clock: Pick<Clock, 'now'> }

/**
 * Its death is stored with everything that could be read. The row comes first, from memory; logs and node follow while the
 * pod is still there; with the verdict all of it is stored.
 */
export async function hasDeathOf({ deaths, clock }: Means, object: KubeObject): Promise<boolean> {
  const { name, uid } = object.metadata
  const rows = await deaths.list({ name, limit: MOST_NAMESAKES })
  const row = rows.find((one) => one.uid === uid)
  return row !== undefined && isAboutEnd(row, object, clock.now())
}

/** A pod that could not start has a row already, from before its end. */
function isAboutEnd({ verdict, diedAt, recordedAt }: DeathRecord, object: KubeObject, now: number): boolean {
  if (verdict === null) return now - recordedAt >= UNJUDGED_MS
  if (verdict.kind !== 'never-started') return true
  const facts = readPod(object)
  const endedAt = Math.min(now, facts.deletedAt ?? timeOfDeath(facts, now))
  return diedAt >= endedAt
}

/** Its death, or, where its runner never began, what was kept before we removed it. */
export async function hasEvidenceOf(
  means: Means & { readonly ledger: Pick<Ledger, 'list'> },
  object: KubeObject,
): Promise<boolean> {
  if (await hasDeathOf(means, object)) return true
  const runners = runnerCandidates(readPod(object))
  if (object.metadata.deletionTimestamp === undefined || runners.some(({ state }) => state.kind !== 'waiting'))
    return false
  const rows = await means.ledger.list({
    act: 'delete-pod',
    outcome: 'done',
    name: object.metadata.name,
    limit: MOST_NAMESAKES,
  })
  return rows.some(({ subject, evidence }) => subject.uid === object.metadata.uid && evidence !== null)
}
