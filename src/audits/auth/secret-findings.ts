import { credentialKind } from './credential.ts'
import { needFields, secretSubject, setNames } from './needs.ts'
import type { Need } from './needs.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { quote } from '#/core/fleet/container-logs.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'

/** What the stored Secrets show, by their key names. */
export function secretFindings(fleet: Fleet, needs: readonly Need[]): readonly Finding[] {
  return needs.flatMap((need) => {
    if (need.secret !== null) return judgeSecret(need, need.secret)
    return fleet.saw('kubernetes/secrets') ? [missing(fleet, need)] : []
  })
}

function missing(fleet: Fleet, need: Need): Finding {
  const failure = failureFor(fleet, need)
  return {
    class: 'secret-missing',
    severity: failure === undefined ? 'warning' : 'critical',
    subject: secretSubject(need),
    evidence: [
      `${setNames(need)} in ${need.namespace} names it, but the namespace has no such Secret`,
      ...(failure === undefined ? [] : [`${failure.name} fails for it: ${quote(failure.message)}`]),
    ],
    hint: `kubectl -n ${need.namespace} create secret generic ${need.name} --from-literal=github_app_id=… --from-literal=github_app_installation_id=… --from-file=github_app_private_key=key.pem`,
    fields: needFields(need),
  }
}

/** The event of a pod of these sets that fails because of the Secret. */
function failureFor({ events }: Fleet, { name, sets }: Need): EventFacts | undefined {
  const prefixes = sets.map((set) => `${set.name}-`)
  const quoted = `secret "${name}"`
  return events.find(
    (event) =>
      event.reason.startsWith('Failed') &&
      event.message.includes(quoted) &&
      prefixes.some((prefix) => event.name?.startsWith(prefix) === true),
  )
}

function judgeSecret(need: Need, secret: Fields): readonly Finding[] {
  const judgement = credentialKind(secret)
  const common = { severity: 'warning', subject: secretSubject(need), fields: needFields(need) } as const
  const usedBy = `used by ${setNames(need)}`
  switch (judgement.kind) {
    case 'app':
      return []
    case 'pat':
      return [
        {
          ...common,
          class: 'pat-credential',
          evidence: ["it holds github_token, a personal access token: the sets use up its owner's rate limit", usedBy],
          hint: `put a GitHub App's github_app_id, github_app_installation_id and github_app_private_key into ${need.namespace}/${need.name}: a personal token shares its owner's rate limit and stops working when the owner leaves`,
        },
      ]
    case 'both':
      return [
        {
          ...common,
          class: 'credential-conflict',
          evidence: ['it holds github_token and GitHub App keys; ARC refuses both at once', usedBy],
          hint: `kubectl -n ${need.namespace} patch secret ${need.name} --type=json -p '[{"op":"remove","path":"/data/github_token"}]'`,
        },
      ]
    case 'incomplete':
      return [
        {
          ...common,
          class: 'secret-missing',
          evidence: [`it has neither github_token nor ${judgement.missing.join(', ')}`, usedBy],
          hint: `add ${judgement.missing.join(', ')} to ${need.namespace}/${need.name}`,
        },
      ]
  }
}
