import type { Finding } from '#/core/audit/finding.ts'
import { answerAbout } from '#/core/fleet/probe-answer.ts'
import { missingPartners } from './cache-variables.ts'
import { setSubject, unknown } from './view.ts'
import type { CacheView, CacheUser } from './view.ts'

/** Variables that runners must have: as declared, else those that other sets of the lane have, and those that belong in pairs. */
export function envFindings(view: CacheView): readonly Finding[] {
  const wanted = wantedVariables(view)
  return view.users.flatMap((user) => lacking(view, user, wanted(user)))
}

type Wanted = ReadonlyMap<string, string>

function wantedVariables(view: CacheView): (user: CacheUser) => Wanted {
  const { env } = view.declared
  if (env !== undefined) {
    const declared = new Map(env.map((name) => [name, 'the fleet file requires it']))
    return () => declared
  }
  const users = new Map(view.users.map((user) => [user.set, user]))
  const lanes = view.fleet.lanes.filter(({ sets }) => sets.length > 1)
  return (user) => {
    const partners = missingPartners(user.env).map((name) => [name, 'it has the other one of the pair'] as const)
    const neighbours = lanes
      .filter(({ sets }) => sets.includes(user.set))
      .flatMap(({ label, sets }) =>
        sets.flatMap((set) =>
          (users.get(set)?.variables ?? []).map(
            (name) => [name, `${set.name} of the same lane ${label} has it`] as const,
          ),
        ),
      )
    return new Map([...neighbours, ...partners])
  }
}

function lacking(view: CacheView, { set, env }: CacheUser, wanted: Wanted): readonly Finding[] {
  const answer = answerAbout(view.fleet.snapshot.probes, set)
  const judged = [...wanted].map(([name, why]) => {
    const variable = env.variable(name)
    // An image may set the variable, and a ConfigMap may lack it: only the probe knows.
    const inside = answer?.variables.find((asked) => asked.name === name)?.isSet
    return { name, why, variable, inside }
  })
  const missing = judged.filter(
    ({ variable, inside }) =>
      (variable.kind === 'unset' && inside !== true) || (variable.kind === 'maybe' && inside === false),
  )
  const doubtful = judged.flatMap(({ name, variable, inside }) =>
    variable.kind === 'maybe' && inside === undefined ? [{ name, from: variable.from }] : [],
  )
  return [
    ...(missing.length === 0 ? [] : [missingVariables(set, missing)]),
    ...doubtful.flatMap(({ name, from }) =>
      unknown(
        view.fleet,
        from.startsWith('Secret ') ? 'kubernetes/secrets' : 'kubernetes/configmaps',
        `unknown whether the runners of ${set.name} have ${name}: it may come from ${from} of ${set.namespace}`,
      ),
    ),
  ]
}

function missingVariables(
  set: CacheUser['set'],
  missing: readonly { readonly name: string; readonly why: string }[],
): Finding {
  const names = missing.map(({ name }) => name)
  return {
    class: 'env-missing',
    severity: 'warning',
    subject: setSubject(set),
    evidence: missing.map(({ name, why }) => `the runner container has no ${name}; ${why}`),
    hint: `in the values of ${set.name}: add ${names.join(', ')} to template.spec.containers[runner].env`,
    fields: { missing: names },
  }
}
