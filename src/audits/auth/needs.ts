import { credentialKind } from './credential.ts'
import type { CredentialKind } from './credential.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { BudgetOwner } from '#/core/github/budget-owner.ts'

/** A Secret that sets name, and what it holds: null if it is not there or could not be read. */
export type Need = {
  readonly namespace: string
  readonly name: string
  readonly sets: readonly ScaleSet[]
  readonly secret: Fields | null
}

/** One for each Secret that a set names. Secrets in a vault are not in the cluster. */
export function listNeeds(fleet: Fleet, question: Question): readonly Need[] {
  const secrets = new Map(
    fleet
      .rows('secrets')
      .map((secret) => [`${textAt(secret, 'metadata', 'namespace')}/${textAt(secret, 'metadata', 'name')}`, secret]),
  )
  const asked = new Set(askedSets(fleet, question))
  const named = fleet.sets.filter((set) => set.configSecret !== null && !set.usesVault && set.deletedAt === null)
  const bySecret = Map.groupBy(named, ({ namespace, configSecret }) => `${namespace}/${configSecret}`)
  return [...bySecret].flatMap(([key, sets]) => {
    const [first] = sets
    // All sets of an asked Secret are named: they share its fate.
    return first === undefined || first.configSecret === null || !sets.some((set) => asked.has(set))
      ? []
      : [{ namespace: first.namespace, name: first.configSecret, sets, secret: secrets.get(key) ?? null }]
  })
}

export function secretSubject({ namespace, name }: Need): FindingSubject {
  return { kind: 'Secret', namespace, name }
}

export const setNames = ({ sets }: Pick<Need, 'sets'>): string => sets.map(({ name }) => name).join(', ')

/** The fields that every finding about a Secret has. */
export function needFields({ sets, secret }: Need): Readonly<Record<string, unknown>> {
  return {
    sets: sets.map(({ namespace, name }) => `${namespace}/${name}`),
    ...(secret === null ? {} : { credential: credentialKind(secret).kind }),
  }
}

const OWNERS: Readonly<Record<CredentialKind['kind'], BudgetOwner>> = {
  app: 'installation',
  pat: 'person',
  both: 'unknown',
  incomplete: 'unknown',
}

/** Whose rate limit the sets of this Secret use up. */
export function needOwner({ secret }: Need): BudgetOwner {
  return secret === null ? 'unknown' : OWNERS[credentialKind(secret).kind]
}
