import { at, numberAt, toFields, textAt } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { findSource } from '#/core/fleet/find-source.ts'

/** Whether the runners can register: the token Secret exists, and the token owner may create tokens. */
export function tokenFindings(fleet: Fleet): readonly Finding[] {
  return [...secretFindings(fleet), ...roleFindings(fleet)]
}

function secretFindings(fleet: Fleet): readonly Finding[] {
  const secret = fleet.declared.gitlab?.tokenSecret
  if (secret === undefined) return []
  const source = findSource(fleet.snapshot, 'kubernetes/secrets')
  if (source.kind === 'blind') {
    // A source that was requested and failed has its own blind finding.
    if (source.reason.code !== 'not-asked') return []
    return [blindFinding('kubernetes/secrets', `whether Secret ${secret.namespace}/${secret.name} exists is unknown`)]
  }
  const found = fleet
    .rows('secrets')
    .find(
      (row) =>
        textAt(row, 'metadata', 'name') === secret.name && textAt(row, 'metadata', 'namespace') === secret.namespace,
    )
  const why = found === undefined ? 'does not exist' : emptyReason(found)
  if (why === null) return []
  const elsewhere = fleet
    .rows('secrets')
    .filter((row) => textAt(row, 'metadata', 'name') === secret.name)
    .flatMap((row) => textAt(row, 'metadata', 'namespace') ?? [])
    .filter((namespace) => namespace !== secret.namespace)
  return [
    {
      class: 'token-secret-missing',
      severity: 'warning',
      subject: { kind: 'Secret', namespace: secret.namespace, name: secret.name },
      evidence: [
        `the fleet file names Secret ${secret.namespace}/${secret.name} for the runner token, but it ${why}`,
        ...(found === undefined && elsewhere.length > 0
          ? [`a Secret of that name is in namespace ${elsewhere.join(', ')}`]
          : []),
      ],
      hint: `re-apply what creates it, or create it with the keys runner-token and runner-registration-token: kubectl -n ${secret.namespace} create secret generic ${secret.name} --from-env-file=token.env`,
      fields: { elsewhere },
    },
  ]
}

/** An empty value, and what `collect` writes for it: the digest of the empty string, also in base64. */
const EMPTY_VALUES: ReadonlySet<unknown> = new Set([
  '',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'c2hhMjU2OmUzYjBjNDQyOThmYzFjMTQ5YWZiZjRjODk5NmZiOTI0MjdhZTQxZTQ2NDliOTM0Y2E0OTU5OTFiNzg1MmI4NTU=',
])

/** Only values that are present and empty count; values left out of the read do not. */
function emptyReason(secret: unknown): string | null {
  const values = [at(secret, 'data'), at(secret, 'stringData')].flatMap((part) => Object.values(toFields(part)))
  return values.length > 0 && values.every((value) => EMPTY_VALUES.has(value)) ? 'holds no value' : null
}

/** GitLab's numbers for the roles of a group. */
const ROLES: ReadonlyMap<number, string> = new Map([
  [5, 'minimal access'],
  [10, 'guest'],
  [15, 'planner'],
  [20, 'reporter'],
  [30, 'developer'],
  [40, 'maintainer'],
  [50, 'owner'],
  [60, 'administrator'],
])
const OWNER = 50

/** What GitLab says of the token's owner counts more than what somebody declared. */
function readRole({ declared, snapshot }: Fleet): { readonly role: string; readonly by: string } | null {
  const owner = snapshot.gitlab.tokenOwner
  if (owner?.kind === 'seen') {
    const level = numberAt(owner.value, 'access_level')
    const who = textAt(owner.value, 'username') ?? 'the owner of the token'
    if (level !== null) {
      const role = level >= OWNER ? 'owner' : (ROLES.get(level) ?? `access level ${level}`)
      return { role, by: `GitLab says that ${who} is ${role}` }
    }
  }
  const role = declared.gitlab?.role
  return role === undefined ? null : { role, by: `the fleet file says that their owner is ${role}` }
}

function roleFindings(fleet: Fleet): readonly Finding[] {
  const { autoCreatesTokens, group, tokenSecret } = fleet.declared.gitlab ?? {}
  const known = readRole(fleet)
  if (autoCreatesTokens !== true || known === null || known.role === 'owner') return []
  const { role } = known
  const place = group === undefined ? 'the group' : `group ${group}`
  return [
    {
      class: 'token-owner-role',
      severity: 'warning',
      subject: {
        kind: 'Credential',
        ...(tokenSecret === undefined ? {} : { namespace: tokenSecret.namespace }),
        name: tokenSecret?.name ?? group ?? 'gitlab',
      },
      evidence: [`runner tokens are created automatically (fleet file), and ${known.by} in ${place}`],
      hint: `give the owner of the token the role Owner in ${place}, or create the runner token by hand and set autoCreatesTokens: false; with a lower role creation fails silently`,
      fields: { role, neededRole: 'owner', ...(group === undefined ? {} : { group }) },
    },
  ]
}
