import type { DeathRecord, Verdict } from './deaths.ts'
import type { EvidencePart } from './evidence.ts'

/** What a second record of the same death changes (`Deaths.record`). */
export function fillInDeath(former: DeathRecord, added: DeathRecord): DeathRecord {
  const isBetter = isBetterVerdict(former.verdict, added.verdict)
  return {
    ...former,
    node: former.node ?? added.node,
    scope: former.scope ?? added.scope,
    job: former.job ?? added.job,
    pool: former.pool ?? added.pool,
    repository: former.repository ?? added.repository,
    runner: former.runner ?? added.runner,
    missed: former.missed && added.missed,
    diedAt: isBetter && former.verdict?.kind === 'never-started' ? added.diedAt : former.diedAt,
    verdict: isBetter ? added.verdict : former.verdict,
  }
}

/** One about an end counts more than one about a failed start, then the later one. */
function isBetterVerdict(former: Verdict | null, added: Verdict | null): boolean {
  if (former === null || added === null) return added !== null
  const ofStart = Number(former.kind === 'never-started') - Number(added.kind === 'never-started')
  return ofStart > 0 || (ofStart === 0 && added.judgedAt > former.judgedAt)
}

const HOW_MUCH_SEEN = { blind: 0, none: 1, seen: 2 } as const

type Weighed = Pick<EvidencePart, 'observed' | 'revision'>

/** Whether a part replaces another of the same source: it saw more, or as much in a later revision. */
export function isBetterEvidence(added: Weighed, known: Weighed): boolean {
  const more = HOW_MUCH_SEEN[added.observed] - HOW_MUCH_SEEN[known.observed]
  return more > 0 || (more === 0 && (added.revision ?? 0) > (known.revision ?? 0))
}
