import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { compareCopies } from './compare-copies.ts'
import type { PullFailure } from './pull-failure.ts'
import { coveringKeys, listRegistries } from './pull-secret.ts'
import type { PullSecret } from './pull-secret.ts'
import { registryName } from './registry-key.ts'
import { copyHint, describe, listed, notReferenced } from './secret-findings.ts'
import type { PullView } from './view.ts'

type Coverage =
  /** Another class reports it: the Secret is missing or has a wrong type. */
  | { readonly kind: 'reported' }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'uncovered' }
  /** The credential matches the registry but has no access to this image. */
  | { readonly kind: 'refused'; readonly by: readonly PullSecret[] }

/** Pulls that a registry denies. A pull that works without a credential needs none. */
export function registryFindings(view: PullView): readonly Finding[] {
  const denied = view.failures.filter(({ isDenied }) => isDenied)
  const groups = Map.groupBy(denied, ({ registry, repository, pod, secrets }) =>
    [registry, repository, pod.namespace, ...secrets.toSorted()].join(' '),
  )
  const found = [...groups.values()].flatMap((failures) => judgeFailures(view, failures))
  return mergeByRegistry(found)
}

function judgeFailures(view: PullView, failures: readonly PullFailure[]): readonly Finding[] {
  const [first] = failures
  if (first === undefined) return []
  const verdict = judgeCoverage(view, first)
  switch (verdict.kind) {
    case 'reported':
      return []
    case 'unknown':
      return [blindFinding('kubernetes/secrets', verdict.why)]
    case 'uncovered':
      return [uncovered(view, first, failures), ...unused(view, first, failures)]
    case 'refused':
      return [refused(view, { first, failures, by: verdict.by })]
  }
}

function judgeCoverage(view: PullView, { pod, secrets, repository }: PullFailure): Coverage {
  const named = secrets.map((name) => ({ name, secret: view.secretAt(pod.namespace, name) }))
  const usable = named.flatMap(({ secret }) => (secret?.flaw === null ? [secret] : []))
  const covering = usable.filter((secret) => coveringKeys(secret, repository).length > 0)
  if (covering.length > 0) return { kind: 'refused', by: covering }
  const sealed = usable.find(({ content }) => content.kind === 'sealed')
  if (sealed !== undefined) {
    const why = `unknown which registries ${sealed.namespace}/${sealed.name} covers: only the digest of the whole document is known`
    return { kind: 'unknown', why }
  }
  const lacking = named.filter(({ secret }) => secret === null || secret.flaw !== null)
  return lacking.some(({ name, secret }) => mayCover(view, { name, secret, repository }))
    ? { kind: 'reported' }
    : { kind: 'uncovered' }
}

/** Whether a missing or ignored Secret might have given access to the image, judged by its copies. */
function mayCover(
  view: PullView,
  {
    name,
    secret,
    repository,
  }: { readonly name: string; readonly secret: PullSecret | null; readonly repository: string },
): boolean {
  const copies = secret === null ? listCopies(view, name) : [secret]
  const known = copies.filter(({ content }) => content.kind === 'registries')
  return known.length === 0 || known.some((copy) => coveringKeys(copy, repository).length > 0)
}

function listCopies(view: PullView, name: string): readonly PullSecret[] {
  return [...view.listNamespaces(name)].flatMap((namespace) => view.secretAt(namespace, name) ?? [])
}

function uncovered(view: PullView, first: PullFailure, failures: readonly PullFailure[]): Finding {
  const { registry, repository, pod, secrets } = first
  const held = secrets.map((name) => {
    const secret = view.secretAt(pod.namespace, name)
    const registries = secret === null ? [] : listRegistries(secret)
    return `${pod.namespace}/${name} is for ${registries.length === 0 ? 'no registry' : listed(registries)}, and none of them covers ${repository}`
  })
  return {
    class: 'registry-not-covered',
    severity: 'warning',
    subject: { kind: 'Registry', name: registry },
    evidence: [
      ...describe(failures),
      ...(held.length > 0
        ? held
        : [`neither the pods in ${pod.namespace} nor their ServiceAccount reference a pull secret`]),
    ],
    hint:
      secrets[0] === undefined
        ? `kubectl -n ${pod.namespace} create secret docker-registry NAME --docker-server=${registry} --docker-username=… --docker-password=…, and add it to imagePullSecrets`
        : `add a credential for ${registry} to ${pod.namespace}/${secrets[0]} and all its copies (signalbox pull-secrets check compares them)`,
    fields: { image: first.image, namespace: pod.namespace, credential: 'none' },
  }
}

/** The namespace has a matching credential that the pods do not reference. */
function unused(view: PullView, first: PullFailure, failures: readonly PullFailure[]): readonly Finding[] {
  const { pod, repository, secrets } = first
  return view
    .registrySecretsIn(pod.namespace)
    .filter((secret) => !secrets.includes(secret.name) && coveringKeys(secret, repository).length > 0)
    .map(({ name }) =>
      notReferenced(pod.namespace, name, [
        `it has a credential for ${repository}, but the pods that wait for that image do not reference it`,
        ...describe(failures),
      ]),
    )
}

type Refusal = {
  readonly first: PullFailure
  readonly failures: readonly PullFailure[]
  readonly by: readonly PullSecret[]
}

function refused(view: PullView, { first, failures, by }: Refusal): Finding {
  const { registry, repository, pod } = first
  const others = by.flatMap((secret) =>
    listCopies(view, secret.name)
      .filter(({ namespace, flaw }) => namespace !== secret.namespace && flaw === null)
      .map((copy) => ({ secret, copy, judgement: compareCopies(secret, copy, new Set([repository])) })),
  )
  const differing = others.find(({ judgement }) => judgement.kind === 'different')
  return {
    class: 'registry-not-covered',
    severity: 'warning',
    subject: { kind: 'Registry', name: registry },
    evidence: [
      ...describe(failures),
      ...by.map((secret) => {
        const keys = coveringKeys(secret, repository).map(registryName)
        return `${secret.namespace}/${secret.name} has a credential for ${keys.join(', ')}, but the registry denies it access to this image: it may be valid for public images only`
      }),
      ...others.map(
        ({ copy, judgement }) =>
          `${copy.namespace}/${copy.name} holds ${describeDifference(judgement.kind)} credential for it`,
      ),
    ],
    hint:
      differing === undefined
        ? `give the account behind ${by[0]?.namespace}/${by[0]?.name} read access to ${repository}, or put a token that has it into every copy of ${by[0]?.name}`
        : `if pulls work in ${differing.copy.namespace}: ${copyHint(differing.copy.name, differing.copy.namespace, pod.namespace)}`,
    fields: {
      image: first.image,
      namespace: pod.namespace,
      credential: 'refused',
      otherCopyDiffers: differing !== undefined,
    },
  }
}

function describeDifference(kind: 'same' | 'different' | 'unknown'): string {
  if (kind === 'unknown') return 'an unknown'
  return kind === 'same' ? 'the same' : 'another'
}

/** Several images of one registry, denied for the same reason, are one finding. */
function mergeByRegistry(findings: readonly Finding[]): readonly Finding[] {
  const groups = Map.groupBy(
    findings,
    ({ class: name, subject, fields }) =>
      `${name} ${subject.kind} ${subject.namespace ?? ''}/${subject.name} ${String(fields?.['namespace'])} ${String(fields?.['credential'])}`,
  )
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [{ ...first, evidence: [...new Set([...first.evidence, ...rest.flatMap(({ evidence }) => evidence)])] }],
  )
}
