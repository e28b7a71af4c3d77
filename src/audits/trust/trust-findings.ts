import { at, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { Finding, FindingSubject } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { hasEnded } from '#/core/kubernetes/pod-record.ts'
import { answerAbout } from '#/core/fleet/probe-answer.ts'
import type { ProbeAnswer } from '#/core/fleet/probe-answer.ts'
import { containerEnv, isSet } from '#/core/fleet/runner-env.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { ContainerEnv, FindSecret } from '#/core/fleet/runner-env.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import { CA_VARIABLES, whyUnreadable } from './ca-bundle.ts'
import type { TlsComplaint } from './tls-lines.ts'
import { quoted } from './tls-lines.ts'

/** A scale set with the certificate errors of its builds. */
export type TrustCase = {
  readonly fleet: Fleet
  readonly set: ScaleSet
  readonly findSecret: FindSecret
  readonly complaints: readonly TlsComplaint[]
}

const MOST = 5
/** A missing bundle affects all runners of a set: a few are enough. */
const MOST_RUNNERS = 10

function setSubject({ kind, namespace, name }: ScaleSet): FindingSubject {
  return { kind, namespace, name }
}

function readEnv({ set, findSecret, fleet }: TrustCase, spec: Fields): ContainerEnv {
  return containerEnv(templateRunner(spec), { namespace: set.namespace, findSecret, digest: fleet.snapshot.digest })
}

/** Whether none of the variables is set; null if unknown. */
function isUnset(env: ContainerEnv): boolean | null {
  const variables = CA_VARIABLES.map((name) => env.variable(name))
  if (variables.some(isSet)) return false
  return variables.every(({ kind }) => kind === 'unset') ? true : null
}

export function unsetFinding(given: TrustCase): readonly Finding[] {
  const { set, fleet } = given
  const isTemplateUnset = isUnset(readEnv(given, set.template))
  const own = given.complaints.filter(
    ({ untrusted, isFromBuild: isOfBuild, log }) =>
      untrusted !== null && isOfBuild && isUnset(readEnv(given, log.pod?.spec ?? set.template)) === true,
  )
  const answer = answerAbout(fleet.snapshot.probes, set)
  // The image may set the variable itself.
  const isSetInside = answer?.bundles.some(({ result }) => result === 'readable') === true
  const lacksMount =
    isTemplateUnset === true && Object.keys(toFields(at(set.raw, 'spec', 'githubServerTLS'))).length > 0
  if (isSetInside || (own.length === 0 && !lacksMount)) return []
  return [
    {
      class: 'ca-bundle-unset',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        ...own.slice(0, MOST).map(({ log, untrusted }) => quoted(log, untrusted ?? '')),
        ...(lacksMount
          ? ['the set has githubServerTLS but does not mount the certificate into its runners (no runnerMountPath)']
          : []),
        `the runner container has none of ${CA_VARIABLES.join(', ')}`,
      ],
      hint: lacksMount
        ? `in the values of ${set.name}: set githubServerTLS.runnerMountPath (for example /usr/local/share/ca-certificates/); it mounts the certificate and sets NODE_EXTRA_CA_CERTS`
        : `mount the CA bundle into the runner container of ${set.name} and set ${CA_VARIABLES.join(', ')} to its path, also inside Nix derivations; moving the job to other nodes changes nothing`,
    },
  ]
}

export function unreadableFinding(given: TrustCase): readonly Finding[] {
  const { set, fleet, findSecret } = given
  const env = readEnv(given, set.template)
  const container = templateRunner(set.template)
  const byObjects = CA_VARIABLES.flatMap((name) => {
    const variable = env.variable(name)
    if (variable.kind !== 'value') return []
    const why = whyUnreadable(variable.text, set.template, container, { namespace: set.namespace, findSecret })
    return why === null ? [] : [`${name} is ${variable.text}, and ${why}`]
  })
  const answer = answerAbout(fleet.snapshot.probes, set)
  const byProbe = probedBundles(answer)
  const byLogs = given.complaints.flatMap(({ log, unreadable, isFromBuild: isOfBuild }) =>
    unreadable !== null && isOfBuild ? [quoted(log, unreadable)] : [],
  )
  // The probe's result takes precedence over the pod spec.
  const isReadInside = byProbe.length === 0 && (answer?.bundles.length ?? 0) > 0
  const evidence = [...(isReadInside ? [] : byObjects), ...byProbe, ...byLogs.slice(0, MOST)]
  if (evidence.length === 0) return []
  return [
    {
      class: 'ca-bundle-unreadable',
      severity: 'warning',
      subject: setSubject(set),
      evidence,
      hint: `mount the bundle at the variable's path in the runner container of ${set.name}, readable for its user; a program that cannot read it rejects certificates it does not know`,
    },
  ]
}

const STATES: ReadonlyMap<ProbeAnswer['bundles'][number]['result'], string> = new Map([
  ['missing', 'does not exist'],
  ['unreadable', 'cannot be read'],
  ['not-pem', 'contains no PEM certificate'],
])

function probedBundles(answer: ProbeAnswer | null): readonly string[] {
  return (answer?.bundles ?? []).flatMap(({ variable, path, result }) => {
    const state = STATES.get(result)
    return state === undefined ? [] : [`in probe pod ${answer?.pod}: ${variable} is ${path}, which ${state}`]
  })
}

/** A build that reached a certificate check was placed and running: moving it fixes nothing. */
export function placedFindings({ set, complaints }: TrustCase): readonly Finding[] {
  const placed = complaints.filter(({ untrusted, log }) => untrusted !== null && isPlaced(log))
  const byRunner = Map.groupBy(placed, ({ log }) => log.runner?.name ?? log.pod?.name ?? set.name)
  const shown = [...byRunner].slice(0, MOST_RUNNERS)
  const rest = byRunner.size - shown.length
  return shown.map(([name, own]) => ({
    class: 'trust-not-placement',
    severity: 'warning' as const,
    subject: { kind: subjectKind(own), namespace: set.namespace, name },
    evidence: [
      ...own.slice(0, MOST).map(({ log, untrusted }) => quoted(log, untrusted ?? '')),
      ...own.slice(0, 1).map(({ log }) => (isRunning(log) ? `it runs on ${log.pod?.node}` : `it ran on ${log.ranOn}`)),
      ...(rest === 0 ? [] : [`${rest} more runners of ${set.name} log the same`]),
    ],
    hint: `check the certificates that the build uses (the variables of ${set.name}, then the image's own store); leave node selectors, tolerations and labels as they are`,
    fields: { scaleSet: set.name },
  }))
}

function subjectKind(own: readonly TlsComplaint[]): string {
  if (own.some(({ log }) => log.runner !== null)) return 'EphemeralRunner'
  return own.some(({ log }) => log.pod !== null) ? 'Pod' : 'AutoscalingRunnerSet'
}

/** A runner that is gone was placed too: its job has a log. */
function isPlaced(log: TlsComplaint['log']): boolean {
  return isRunning(log) || (log.pod === null && log.ranOn !== null)
}

function isRunning({ pod }: TlsComplaint['log']): boolean {
  return pod !== null && pod.node !== null && !hasEnded(pod)
}
