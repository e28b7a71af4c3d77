import { blindFinding } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { compareCopies } from './compare-copies.ts'
import type { PullFailure } from './pull-failure.ts'
import { coveringKeys, registriesIn } from './pull-secret.ts'
import type { PullSecret } from './pull-secret.ts'
import { registryName } from './registry-key.ts'
import { copyHint, describe, listed, notReferenced } from './secret-findings.ts'
import type { Stage } from './stage.ts'

type Verdict =
  /** Another class reports it: the Secret is missing or has a wrong type. */
  | { readonly kind: 'reported' }
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'uncovered' }
  /** The credential matches the registry but has no access to this image. */
  | { readonly kind: 'refused'; readonly by: readonly PullSecret[] }

/** Pulls that a registry denies. A pull that works without a credential needs none. */
export function registryFindings(stage: Stage): readonly Finding[] {
  const denied = stage.failures.filter(({ isDenied }) => isDenied)
  const groups = Map.groupBy(denied, ({ registry, repository, pod, secrets }) =>
    [registry, repository, pod.namespace, ...secrets.toSorted()].join(' '),
  )
  const found = [...groups.values()].flatMap((failures) => judged(stage, failures))
  return mergeByRegistry(found)
}

function judged(stage: Stage, failures: readonly PullFailure[]): readonly Finding[] {
  const [first] = failures
  if (first === undefined) return []
  const verdict = verdictOf(stage, first)
  switch (verdict.kind) {
    case 'reported':
      return []
    case 'unknown':
      return [blindFinding('kubernetes/secrets', verdict.why)]
    case 'uncovered':
      return [uncovered(stage, first, failures), ...unused(stage, first, failures)]
    case 'refused':
      return [refused(stage, { first, failures, by: verdict.by })]
  }
}

function verdictOf(stage: Stage, { pod, secrets, repository }: PullFailure): Verdict {
  const named = secrets.map((name) => ({ name, secret: stage.secretAt(pod.namespace, name) }))
  const usable = named.flatMap(({ secret }) => (secret?.flaw === null ? [secret] : []))
  const covering = usable.filter((secret) => coveringKeys(secret, repository).length > 0)
  if (covering.length > 0) return { kind: 'refused', by: covering }
  const sealed = usable.find(({ content }) => content.kind === 'sealed')
  if (sealed !== undefined) {
    const why = `unknown which registries ${sealed.namespace}/${sealed.name} covers: only the digest of the whole document is known`
    return { kind: 'unknown', why }
  }
  const lacking = named.filter(({ secret }) => secret === null || secret.flaw !== null)
  return lacking.some(({ name, secret }) => mayCover(stage, { name, secret, repository }))
    ? { kind: 'reported' }
    : { kind: 'uncovered' }
}

/** Whether a missing or ignored Secret might have given access to the image, judged by its copies. */
function mayCover(
  stage: Stage,
  {
    name,
    secret,
    repository,
  }: { readonly name: string; readonly secret: PullSecret | null; readonly repository: string },
): boolean {
  const copies = secret === null ? copiesOf(stage, name) : [secret]
  const known = copies.filter(({ content }) => content.kind === 'registries')
  return known.length === 0 || known.some((copy) => coveringKeys(copy, repository).length > 0)
}

function copiesOf(stage: Stage, name: string): readonly PullSecret[] {
  return [...stage.placesOf(name)].flatMap((namespace) => stage.secretAt(namespace, name) ?? [])
}

function uncovered(stage: Stage, first: PullFailure, failures: readonly PullFailure[]): Finding {
  const { registry, repository, pod, secrets } = first
  const held = secrets.map((name) => {
    const secret = stage.secretAt(pod.namespace, name)
    const registries = secret === null ? [] : registriesIn(secret)
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
function unused(stage: Stage, first: PullFailure, failures: readonly PullFailure[]): readonly Finding[] {
  const { pod, repository, secrets } = first
  return stage
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

function refused(stage: Stage, { first, failures, by }: Refusal): Finding {
  const { registry, repository, pod } = first
  const others = by.flatMap((secret) =>
    copiesOf(stage, secret.name)
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
          `${copy.namespace}/${copy.name} holds ${differenceWord(judgement.kind)} credential for it`,
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

function differenceWord(kind: 'same' | 'different' | 'unknown'): string {
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
