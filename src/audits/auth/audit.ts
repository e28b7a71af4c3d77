import { credentialKind } from './credential.ts'
import { RATE_LIMIT_MESSAGES, limitedLine, setFinder } from './rate-limited.ts'
import type { RateBudget } from './rate-budget.ts'
import { isLow, isSpent, rateBudgets } from './rate-budget.ts'
import type { EventFacts } from '#/core/kubernetes/event-facts.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'

type Need = { readonly namespace: string; readonly name: string; readonly sets: readonly ScaleSet[] }

/** One for each Secret that a set names. Secrets in a vault are not in the cluster. */
function listNeeds({ sets }: Fleet): readonly Need[] {
  const named = sets.filter((set) => set.configSecret !== null && !set.usesVault && set.deletedAt === null)
  const bySecret = Map.groupBy(named, ({ namespace, configSecret }) => `${namespace}/${configSecret}`)
  return [...bySecret.values()].flatMap((own) => {
    const [first] = own
    return first === undefined || first.configSecret === null
      ? []
      : [{ namespace: first.namespace, name: first.configSecret, sets: own }]
  })
}

function secretSubject({ namespace, name }: Need): FindingSubject {
  return { kind: 'Secret', namespace, name }
}

const setNames = ({ sets }: Need): string => sets.map(({ name }) => name).join(', ')

function missing(fleet: Fleet, need: Need): Finding {
  const failure = failureFor(fleet, need)
  return {
    class: 'secret-missing',
    severity: failure === undefined ? 'warning' : 'critical',
    subject: secretSubject(need),
    evidence: [
      `${setNames(need)} in ${need.namespace} names it, but the namespace has no such Secret`,
      ...(failure === undefined ? [] : [`${failure.name} fails for it: ${failure.message.slice(0, 200)}`]),
    ],
    hint: `kubectl -n ${need.namespace} create secret generic ${need.name} --from-literal=github_app_id=… --from-literal=github_app_installation_id=… --from-file=github_app_private_key=key.pem`,
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
  const subject = secretSubject(need)
  switch (judgement.kind) {
    case 'app':
      return []
    case 'pat':
      return [
        {
          class: 'pat-credential',
          severity: 'warning',
          subject,
          evidence: [`it holds github_token, a personal access token, for ${setNames(need)}`],
          hint: `put a GitHub App's github_app_id, github_app_installation_id and github_app_private_key into ${need.namespace}/${need.name}: a personal token shares its owner's rate limit and stops working when the owner leaves`,
        },
      ]
    case 'both':
      return [
        {
          class: 'credential-conflict',
          severity: 'warning',
          subject,
          evidence: ['it holds github_token and GitHub App keys; ARC refuses both at once'],
          hint: `kubectl -n ${need.namespace} patch secret ${need.name} --type=json -p '[{"op":"remove","path":"/data/github_token"}]'`,
        },
      ]
    case 'incomplete':
      return [
        {
          class: 'secret-missing',
          severity: 'warning',
          subject,
          evidence: [`it has neither github_token nor ${judgement.missing.join(', ')}; ${setNames(need)} needs them`],
          hint: `add ${judgement.missing.join(', ')} to ${need.namespace}/${need.name}`,
        },
      ]
  }
}

function printReset({ resetsAt }: RateBudget): string {
  return resetsAt === null ? '' : `; it resets at ${new Date(resetsAt).toISOString()}`
}

const BRIDGE =
  'waiting for the reset helps only once: give the sets their own GitHub App (its rate limit is not shared with a person)'

function budgetFindings({ snapshot, now, thresholds }: Fleet): readonly Finding[] {
  const { rateLimit } = snapshot.github
  if (rateLimit.kind !== 'seen') return []
  const budgets = rateBudgets(rateLimit.value)
  if (budgets.length === 0) return [blindFinding('github/rate-limit', 'the response contains no rate limit')]
  return budgets.flatMap((budget): readonly Finding[] => {
    const { resource, remaining, limit } = budget
    const subject = { kind: 'Credential', name: resource }
    const evidence = [`${remaining} of ${limit} requests of ${resource} are left${printReset(budget)}`]
    const fields = { remaining, limit }
    if (isSpent(budget, now)) {
      return [{ class: 'rate-limited', severity: 'critical', subject, evidence, hint: BRIDGE, fields }]
    }
    return isLow(budget, now, thresholds.rateBudget)
      ? [{ class: 'rate-budget-low', severity: 'warning', subject, evidence, hint: BRIDGE, fields }]
      : []
  })
}

/** Logs of listeners and the controller show a rate limit even where their credential cannot be used to query GitHub. */
function limitedPods(fleet: Fleet): readonly Finding[] {
  const { logs } = fleet.snapshot
  if (logs.kind !== 'seen') return []
  const findSet = setFinder(fleet)
  return logs.value.flatMap((log) => {
    const line = limitedLine(log, fleet)
    if (line === null) return []
    const set = findSet(log, line)
    const secret = set?.configSecret ?? null
    const subject =
      set === null || secret === null
        ? { kind: 'Pod', namespace: log.namespace, name: log.pod }
        : { kind: 'Secret', namespace: set.namespace, name: secret }
    return [
      {
        class: 'rate-limited',
        severity: 'critical' as const,
        subject,
        evidence: [`logs/${log.namespace}/${log.pod}/${log.container}: ${line.trim().slice(-300)}`],
        hint: BRIDGE,
      },
    ]
  })
}

/** Several listeners can share a credential, and a crash loop can leave a log for each of its pods. */
function once(findings: readonly Finding[]): readonly Finding[] {
  const findingKey = ({ class: name, subject }: Finding) =>
    `${name} ${subject.kind} ${subject.namespace}/${subject.name}`
  return [...new Map(findings.map((finding) => [findingKey(finding), finding])).values()]
}

export const auth: Audit = {
  id: 'auth',
  asks: 'will the credential last?',
  about:
    "Checks the Secret that each scale set names, in the set's own namespace, by its key names only; the rate limit that GitHub reports; and listener and controller logs that report an exhausted rate limit. Secrets kept in a vault are not checked.",
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'which Secret each set names' },
    { source: 'kubernetes/secrets', weight: 'needed', gives: 'which keys a Secret has (never its values)' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'useful', gives: 'which listener belongs to which set' },
    { source: 'kubernetes/pods', weight: 'useful', gives: "the listeners' pods" },
    { source: 'kubernetes/events', weight: 'useful', gives: 'whether a pod fails because of it' },
    { source: 'logs', weight: 'useful', gives: 'rate limit messages of listeners and the controller' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'which set a controller log line is about' },
    {
      source: 'kubernetes/ephemeralrunnersets',
      weight: 'useful',
      gives: 'which set a controller log line is about',
    },
    { source: 'github/rate-limit', weight: 'needed', gives: 'how many requests are left' },
  ],
  mentions: RATE_LIMIT_MESSAGES,
  classes: [
    {
      class: 'pat-credential',
      severity: 'warning',
      meaning: 'a set authenticates with a personal access token',
      next: 'Use a GitHub App: its rate limit is larger, it is not shared, and it does not depend on one person.',
    },
    {
      class: 'rate-budget-low',
      severity: 'warning',
      meaning: 'less than 10 % of the API rate limit is left',
      next: 'Find what uses it up, or give the fleet its own GitHub App.',
    },
    {
      class: 'rate-limited',
      severity: 'critical',
      meaning: 'the API rate limit is exhausted: listeners cannot get a token and lanes go offline',
      next: 'Waiting for the reset helps only once. Replace the credential with a GitHub App.',
    },
    {
      class: 'credential-conflict',
      severity: 'warning',
      meaning: 'a Secret holds a token and App keys; ARC refuses both at once',
      next: 'Remove one of them from the Secret.',
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a set names a Secret that its namespace does not have, or that lacks a key',
      next: "Create it in the set's namespace, with all App keys.",
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet) => {
    const secrets = new Map(
      fleet
        .rows('secrets')
        .map((secret) => [`${textAt(secret, 'metadata', 'namespace')}/${textAt(secret, 'metadata', 'name')}`, secret]),
    )
    const stored = listNeeds(fleet).flatMap((need) => {
      const secret = secrets.get(`${need.namespace}/${need.name}`)
      if (secret !== undefined) return judgeSecret(need, secret)
      return fleet.saw('kubernetes/secrets') ? [missing(fleet, need)] : []
    })
    return once([...stored, ...budgetFindings(fleet), ...limitedPods(fleet)])
  },
}
