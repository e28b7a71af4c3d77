import type { About } from '#/core/evidence/about-subject.ts'
import type { Fact } from '#/core/why/fact.ts'

export type AttributedFact = Omit<Fact, 'about'> & { readonly about: About }

/** Printed before the line with the victim's cgroup. */
const BEFORE: ReadonlySet<string> = new Set(['oom-invoked', 'oom-limit'])
/** Printed after it; they repeat the victim's process id. */
const AFTER: ReadonlySet<string> = new Set(['memcg-oom-kill', 'global-oom-kill', 'oom-reaped'])

/**
 * The kernel prints an OOM kill in several lines, and only one of them names the cgroup: the others belong to the same
 * pod. Lines about another pod are left out.
 */
export function ownFacts(facts: readonly AttributedFact[]): readonly Fact[] {
  const kills = facts.filter(({ is }) => is === 'oom-kill')
  return facts.flatMap((fact) => {
    const about = BEFORE.has(fact.is) || AFTER.has(fact.is) ? aboutBlock(fact, kills) : fact.about
    return about === 'another' ? [] : [{ ...fact, about }]
  })
}

function aboutBlock(fact: AttributedFact, kills: readonly AttributedFact[]): About {
  const kill = BEFORE.has(fact.is)
    ? kills.find(({ order }) => order > fact.order)
    : kills.findLast(({ order, fields }) => order < fact.order && fields['pid'] === fact.fields['pid'])
  return kill?.about ?? fact.about
}
