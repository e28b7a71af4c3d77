import { EXEMPT_GROUPS, EXEMPT_USERS } from './exempt.ts'
import { BREAK_GLASS, WORKING, WORKING_LABEL } from './stamp.ts'

export const GUARD_MODES = ['audit', 'deny'] as const
/** `audit`: a deletion is permitted, reported to who asked for it, and marked in the audit log. */
export type GuardMode = (typeof GUARD_MODES)[number]

export type GuardKind = 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding' | 'PodDisruptionBudget'

export type GuardManifest = {
  readonly apiVersion: string
  readonly kind: GuardKind
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels: Readonly<Record<string, string>>
  }
  readonly spec: Readonly<Record<string, unknown>>
}

export type GuardPlan = { readonly mode: GuardMode; readonly namespaces: readonly string[] }

/** What `signalbox guard remove` takes for its own. */
export const GUARD_LABELS = {
  'app.kubernetes.io/name': 'signalbox-guard',
  'app.kubernetes.io/managed-by': 'signalbox',
} as const

export const VALIDATION_ACTIONS: Readonly<Record<GuardMode, readonly string[]>> = {
  audit: ['Audit', 'Warn'],
  deny: ['Deny'],
}

/** Of a budget whose pods have no common controller Kubernetes takes only an integer. No namespace has as many pods. */
const EVERY_POD = 2_147_483_647

const STAMPED = { matchLabels: { [WORKING_LABEL]: WORKING } }
const ADMISSION = 'admissionregistration.k8s.io/v1'

/** Two policies, because an expression is checked against the type of each object that it is for. */
const POLICIES = [
  {
    name: 'signalbox-guard-pods',
    resource: { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] },
    kubectlKind: 'pod',
    hasEnded: [
      "has(oldObject.status.phase) && oldObject.status.phase in ['Succeeded', 'Failed']",
      "has(oldObject.status.containerStatuses) && oldObject.spec.restartPolicy == 'Never' && oldObject.status.containerStatuses.exists(one, one.name == 'runner' && has(one.state.terminated))",
    ],
  },
  {
    name: 'signalbox-guard-ephemeralrunners',
    resource: { apiGroups: ['actions.github.com'], apiVersions: ['v1alpha1'], resources: ['ephemeralrunners'] },
    kubectlKind: 'ephemeralrunner',
    hasEnded: [
      "has(oldObject.status) && has(oldObject.status.phase) && oldObject.status.phase in ['Succeeded', 'Failed', 'Outdated']",
    ],
  },
] as const

type PolicyPlan = (typeof POLICIES)[number]

/** All objects of the guard, in the order in which they are applied. */
export function buildGuard({ mode, namespaces }: GuardPlan): readonly GuardManifest[] {
  const places = [...new Set(namespaces)].toSorted()
  return [
    // A budget cannot only report, so there is none to try it out.
    ...(mode === 'deny' ? places.map(buildBudget) : []),
    ...POLICIES.flatMap((policy) => [buildPolicy(policy), buildBinding(policy, { mode, namespaces: places })]),
  ]
}

export function buildBudget(namespace: string): GuardManifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'signalbox-guard', namespace, labels: GUARD_LABELS },
    spec: { minAvailable: EVERY_POD, selector: STAMPED },
  }
}

function buildPolicy({ name, resource, kubectlKind, hasEnded }: PolicyPlan): GuardManifest {
  const broken = `has(oldObject.metadata.annotations) && '${BREAK_GLASS}' in oldObject.metadata.annotations`
  const reason = `oldObject.metadata.annotations['${BREAK_GLASS}']`
  return {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels: GUARD_LABELS },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: STAMPED,
        resourceRules: [{ ...resource, operations: ['DELETE'], scope: 'Namespaced' }],
      },
      matchConditions: [
        { name: 'not-exempt-group', expression: excludeGroups(EXEMPT_GROUPS) },
        { name: 'not-exempt-user', expression: `!(request.userInfo.username in [${quoted(EXEMPT_USERS)}])` },
      ],
      variables: [
        { name: 'hasEnded', expression: hasEnded.map((one) => `(${one})`).join(' || ') },
        { name: 'reason', expression: `${broken} ? ${reason}.trim() : ''` },
      ],
      validations: [
        {
          expression: "variables.hasEnded || variables.reason != ''",
          messageExpression: printMessage(kubectlKind),
          reason: 'Forbidden',
        },
      ],
      // An empty text is left out.
      auditAnnotations: [{ key: 'break-glass', valueExpression: 'variables.reason' }],
    },
  }
}

function excludeGroups(groups: readonly string[]): string {
  return `!has(request.userInfo.groups) || !request.userInfo.groups.exists(group, group in [${quoted(groups)}])`
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(', ')
}

function printMessage(kind: string): string {
  const [place, name] = ['oldObject.metadata.namespace', 'oldObject.metadata.name']
  const command = `'kubectl annotate ${kind} -n ' + ${place} + ' ' + ${name} + ' ${BREAK_GLASS}="YOUR REASON"'`
  return `'${kind} ' + ${place} + '/' + ${name} + ' is a runner that works on a job. Wait for its end, or break the glass: ' + ${command}`
}

function buildBinding({ name }: PolicyPlan, { mode, namespaces }: GuardPlan): GuardManifest {
  const values = [...namespaces]
  const here = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] }
  return {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name, labels: GUARD_LABELS },
    spec: {
      policyName: name,
      validationActions: [...VALIDATION_ACTIONS[mode]],
      matchResources: { matchPolicy: 'Equivalent', namespaceSelector: here, objectSelector: {} },
    },
  }
}
