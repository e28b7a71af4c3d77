import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import { compareCopies } from './compare-copies.ts'
import type { Credential } from './places.ts'
import { isCausedByMissing } from './pull-failure.ts'
import type { PullFailure } from './pull-failure.ts'
import { listRegistries } from './pull-secret.ts'
import type { PullSecret } from './pull-secret.ts'
import type { PullView } from './view.ts'

const SECRETS = 'kubernetes/secrets'

function secretSubject(namespace: string, name: string): FindingSubject {
  return { kind: 'Secret', namespace, name }
}

/** Copies a Secret without printing a value. */
export function copyHint(name: string, from: string, into: string): string {
  return `kubectl -n ${from} get secret ${name} -o json | jq '{apiVersion,kind,type,data,metadata:{name:.metadata.name}}' | kubectl -n ${into} apply -f -`
}

/** Findings about one credential in all its namespaces. */
export function credentialFindings(view: PullView, credential: Credential): readonly Finding[] {
  const { name, authoritative, copies, isDeclared } = credential
  const places = [...authoritative, ...copies]
  return [
    ...places.flatMap((namespace) => judgePlace(view, { credential, namespace })),
    ...copies.flatMap((namespace) => judgeCopy(view, credential, namespace)),
    ...(isDeclared ? places.flatMap((namespace) => unnamed(view, namespace, name)) : []),
  ]
}

type Place = { readonly credential: Credential; readonly namespace: string }

function judgePlace(view: PullView, { credential, namespace }: Place): readonly Finding[] {
  const { name, isDeclared } = credential
  const secret = view.secretAt(namespace, name)
  if (secret !== null) return secret.flaw === null ? [] : [wrongType(view, secret, secret.flaw)]
  if (!view.fleet.saw(SECRETS)) return []
  if (!isDeclared && view.listReferences(namespace, name).length === 0) return []
  return [missing(view, { credential, namespace })]
}

function missing(view: PullView, { credential, namespace }: Place): Finding {
  const { name, isDeclared } = credential
  const failing = view.failures.filter(
    (failure) =>
      failure.pod.namespace === namespace && failure.secrets.includes(name) && isCausedByMissing(failure, name),
  )
  const other = [...credential.authoritative, ...credential.copies].find(
    (place) => place !== namespace && view.secretAt(place, name)?.flaw === null,
  )
  const references = describeReferences(view, namespace, name)
  return {
    class: 'secret-missing',
    severity: failing.length > 0 ? 'critical' : 'warning',
    subject: secretSubject(namespace, name),
    evidence: [
      `${namespace} has no Secret ${name}`,
      ...(isDeclared ? ['the fleet file requires it'] : []),
      ...(references === null ? [] : [`it is referenced by ${references}`]),
      ...describe(failing),
    ],
    hint:
      other === undefined
        ? `kubectl -n ${namespace} create secret docker-registry ${name} --docker-server=… --docker-username=… --docker-password=…`
        : copyHint(name, other, namespace),
    ...(failing.length === 0 ? {} : { fields: { failingPods: failing.length } }),
  }
}

function wrongType(view: PullView, { namespace, name }: PullSecret, flaw: string): Finding {
  const failing = view.failures.filter(
    ({ pod, secrets, isDenied }) => isDenied && pod.namespace === namespace && secrets.includes(name),
  )
  const references = describeReferences(view, namespace, name)
  return {
    class: 'secret-wrong-type',
    severity: 'warning',
    subject: secretSubject(namespace, name),
    evidence: [
      `${flaw}: the kubelet silently ignores it`,
      ...(references === null ? [] : [`it is referenced by ${references}`]),
      ...describe(failing),
    ],
    hint: `a Secret's type cannot be changed: delete ${namespace}/${name} and re-create it with kubectl -n ${namespace} create secret docker-registry ${name} …`,
  }
}

function judgeCopy(view: PullView, { name, authoritative, isDeclared }: Credential, into: string): readonly Finding[] {
  const copy = view.secretAt(into, name)
  if (copy === null || copy.flaw !== null) return []
  const originals = authoritative.flatMap((namespace) => view.secretAt(namespace, name) ?? [])
  const usable = originals.filter(({ flaw }) => flaw === null)
  const judged = usable.map((original) => ({ original, judgement: compareCopies(original, copy, view.repositories) }))
  const same = judged.find(({ judgement }) => judgement.kind === 'same')
  const [chosen] = same === undefined ? judged : [same]
  if (chosen === undefined) return []
  // With declared pull secrets, undeclared ones of the same name are not copies.
  if (!isDeclared && view.fleet.declared.pullSecrets !== undefined) return []
  const from = `${chosen.original.namespace}/${name}`
  const subject = secretSubject(into, name)
  switch (chosen.judgement.kind) {
    case 'same':
      return [matching(subject, from, chosen.judgement)]
    case 'different':
      return [drifted(subject, { original: chosen.original, copy, registries: chosen.judgement.registries })]
    case 'unknown':
      return [blindFinding(SECRETS, `unknown whether ${into}/${name} equals ${from}: ${chosen.judgement.why}`)]
  }
}

function matching(
  subject: FindingSubject,
  from: string,
  { registries, aside }: { readonly registries: readonly string[]; readonly aside: readonly string[] },
): Finding {
  return {
    class: 'secret-match',
    severity: 'info',
    subject,
    evidence: [
      registries.length === 0
        ? `it is equal to ${from}`
        : `it holds the same credential as ${from} for ${registries.join(', ')}`,
      ...(aside.length === 0
        ? []
        : [`they differ for ${aside.join(', ')}, which serve no runner, listener or controller image`]),
    ],
    hint: 'no action needed',
    fields: { registries },
  }
}

function drifted(
  subject: FindingSubject,
  given: { readonly original: PullSecret; readonly copy: PullSecret; readonly registries: readonly string[] },
): Finding {
  const { original, copy, registries } = given
  const from = `${original.namespace}/${original.name}`
  const [inOriginal, inCopy] = [new Set(listRegistries(original)), new Set(listRegistries(copy))]
  const lines = registries.map((registry) => {
    if (!inCopy.has(registry)) return `${registry}: only ${from} has a credential under this name`
    if (!inOriginal.has(registry)) return `${registry}: ${from} has no credential under this name`
    return `${registry}: a different credential than in ${from}`
  })
  return {
    class: 'secret-drift',
    severity: 'warning',
    subject,
    evidence: lines,
    hint: `${copyHint(original.name, original.namespace, copy.namespace)}; the kubelet uses it at its next attempt, no need to delete pods`,
    fields: { registries, authoritative: original.namespace },
  }
}

/** An unreferenced Secret has no effect. No finding if something that could reference it was not read. */
function unnamed(view: PullView, namespace: string, name: string): readonly Finding[] {
  const own = view.pullersIn(namespace)
  if (view.secretAt(namespace, name) === null || own.length === 0) return []
  if (view.listReferences(namespace, name).length > 0 || own.some(({ isCertain }) => !isCertain)) return []
  const sources = ['kubernetes/autoscalingrunnersets', 'kubernetes/autoscalinglisteners', 'kubernetes/deployments']
  if (sources.some((source) => !view.fleet.saw(source))) return []
  const whom = own.map(({ subject }) => `${subject.kind} ${subject.name}`)
  return [notReferenced(namespace, name, [`none of ${listed(whom)} references it, nor does their ServiceAccount`])]
}

export function notReferenced(namespace: string, name: string, evidence: readonly string[]): Finding {
  return {
    class: 'secret-not-referenced',
    severity: 'warning',
    subject: secretSubject(namespace, name),
    evidence,
    hint: `add ${name} to imagePullSecrets: template.spec.imagePullSecrets in the values of a scale set for its runners, imagePullSecrets in the values of the controller for itself and its listeners`,
  }
}

function describeReferences(view: PullView, namespace: string, name: string): string | null {
  const own = view.listReferences(namespace, name)
  return own.length === 0 ? null : listed(own.map(({ subject }) => `${subject.kind} ${subject.name}`))
}

const MOST = 5

export function listed(names: readonly string[]): string {
  const rest = names.length - MOST
  return `${names.slice(0, MOST).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const MOST_MESSAGE = 300

/** The registry's answer is at the end of the message. */
function shortenMessage(message: string): string {
  return message.length > MOST_MESSAGE ? `…${message.slice(-MOST_MESSAGE)}` : message
}

export function describe(failures: readonly PullFailure[]): readonly string[] {
  const [first] = failures
  if (first === undefined) return []
  return [
    `${failures.length} ${failures.length === 1 ? 'pod waits' : 'pods wait'} for ${first.image}: ${listed(failures.map(({ pod }) => pod.name))}`,
    shortenMessage(first.message),
  ].filter((line) => line !== '')
}
