import { buildCacheView } from '#/audits/cache/view.ts'
import type { CacheView, CacheUser } from '#/audits/cache/view.ts'
import { isAddressName, missingPartners } from '#/audits/cache/cache-variables.ts'
import { CA_VARIABLES, mountOver } from '#/audits/trust/ca-bundle.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import { isSecretName } from '#/core/redaction/values/secret-names.ts'
import { PROBE_INPUT, PROBE_SCRIPT } from './probe-script.ts'

export const PROBE_LABEL = 'signalbox.dev/probe'
export const PROBE_CONTAINER = 'probe'
export const PROBE_SECONDS = 120

/** A pod that represents the runners of some sets. */
export type ProbePlan = {
  readonly namespace: string
  readonly sets: readonly { readonly namespace: string; readonly name: string }[]
  /** Without a name. */
  readonly pod: Fields
}

/** One per kind of runner with something to check; sets with equal runners share it. */
export function probePlans(fleet: Fleet): readonly ProbePlan[] {
  const view = buildCacheView(fleet, WHOLE_FLEET)
  const plans = view.users.flatMap((user) => {
    const pod = probePod(view, user)
    return pod === null ? [] : [{ namespace: user.set.namespace, set: user.set, pod }]
  })
  const alike = Map.groupBy(plans, ({ namespace, pod }) => `${namespace} ${JSON.stringify(pod)}`)
  return [...alike.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const sets = own.map(({ set: { namespace, name } }) => ({ namespace, name }))
    return [{ namespace: first.namespace, sets, pod: first.pod }]
  })
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Variables the probe may check: a credential's value never goes into our pod. */
function askable(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => NAME.test(name) && !isSecretName(name))
}

type Asked = {
  readonly variables: readonly string[]
  readonly addresses: readonly string[]
  readonly targets: readonly string[]
  readonly bundles: readonly string[]
}

function listQuestions(view: CacheView, user: CacheUser, mounts: ReadonlyMap<string, Mounted | null>): Asked {
  const { declared } = view
  const known = new Set(user.addresses.map(({ from }) => from))
  const variables = askable([...(declared.env ?? []), ...user.variables, ...missingPartners(user.env)])
  return {
    variables,
    addresses: variables.filter((name) => !known.has(name) && isAddressName(name)),
    targets: [
      ...user.addresses.map(({ from, host, port }) => `${from},${host},${port}`),
      ...servicePorts(view).map(
        (port) => `service,${declared.service?.name}.${declared.service?.namespace}.svc,${port}`,
      ),
    ].filter((target) => /^\w+,[\w.-]+,\d+$/.test(target)),
    bundles: [...mounts].flatMap(([name, mounted]) => (mounted === null ? [] : [name])),
  }
}

function servicePorts({ declared, fleet }: CacheView): readonly number[] {
  const { service } = declared
  if (service === undefined) return []
  const own = fleet
    .rows('services')
    .find(
      (one) =>
        textAt(one, 'metadata', 'namespace') === service.namespace && textAt(one, 'metadata', 'name') === service.name,
    )
  return listAt(own, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? [])
}

function probePod(view: CacheView, user: CacheUser): Fields | null {
  const { template, templateMetadata } = user.set
  const container = templateRunner(template)
  const image = textAt(container, 'image')
  // Includes unset ones: the image may set them.
  const mounts = new Map(CA_VARIABLES.map((name) => [name, bundleMount(user, container, name)]))
  const asked = listQuestions(view, user, mounts)
  const isIdle =
    [asked.targets, asked.addresses, asked.variables].every(({ length }) => length === 0) &&
    asked.bundles.every((name) => user.env.variable(name).kind === 'unset')
  if (image === null || isIdle) return null
  const mounted = [...mounts.values()].flatMap((one) => (one === null || one === 'image' ? [] : [one]))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      labels: { ...ownEntries(templateMetadata, 'labels'), [PROBE_LABEL]: 'true' },
      annotations: ownEntries(templateMetadata, 'annotations'),
    },
    spec: {
      ...copyPlacement(template),
      restartPolicy: 'Never',
      activeDeadlineSeconds: PROBE_SECONDS,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: podSecurity(template, container),
      containers: [
        {
          name: PROBE_CONTAINER,
          image,
          ...copyKeys(container, ['imagePullPolicy']),
          command: ['/bin/sh', '-c', PROBE_SCRIPT],
          env: [...environment(container, [...asked.variables, ...asked.bundles]), ...buildInput(asked)],
          envFrom: configMaps(container),
          volumeMounts: unique(mounted.map(({ mount }) => ({ ...toFields(mount), readOnly: true }))),
          resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
      volumes: unique(mounted.map(({ volume }) => volume)),
    },
  }
}

function buildInput(asked: Asked): readonly Fields[] {
  return [
    { name: PROBE_INPUT.variables, value: asked.variables.join(' ') },
    { name: PROBE_INPUT.addresses, value: asked.addresses.join(' ') },
    { name: PROBE_INPUT.targets, value: asked.targets.join(' ') },
    { name: PROBE_INPUT.bundles, value: asked.bundles.join(' ') },
  ]
}

type Mounted = { readonly mount: unknown; readonly volume: Fields } | 'image'

/** Volume kinds that can be shared with a runner and that a restricted namespace allows. */
const SHARED = ['configMap', 'secret', 'projected', 'downwardAPI'] as const

/** How the CA bundle gets into the container; null if our pod cannot mount it. */
function bundleMount(user: CacheUser, container: Fields | null, name: string): Mounted | null {
  const variable = user.env.variable(name)
  if (variable.kind !== 'value') return 'image'
  const mount = mountOver(container, variable.text)
  if (mount === null) return 'image'
  const volume = toFields(
    listAt(user.set.template, 'volumes').find((one) => textAt(one, 'name') === textAt(mount, 'name')),
  )
  const kind = SHARED.find((one) => volume[one] !== undefined)
  if (kind === undefined) return null
  // Without `optional` the pod would wait for the missing source instead of reporting it.
  const isSource = kind === 'configMap' || kind === 'secret'
  const source = toFields(volume[kind])
  return { mount, volume: { ...volume, [kind]: isSource ? { ...source, optional: true } : source } }
}

/** The listed variables as the runner has them, all optional, so that a missing source does not block the pod. */
function environment(container: Fields | null, names: readonly string[]): readonly Fields[] {
  return listAt(container, 'env')
    .map(toFields)
    .filter((entry) => names.includes(textAt(entry, 'name') ?? ''))
    .map((entry) => {
      const from = toFields(entry['valueFrom'])
      const kind = ['secretKeyRef', 'configMapKeyRef'].find((one) => from[one] !== undefined)
      if (kind === undefined) return entry
      const reference = { ...toFields(from[kind]), optional: true }
      return { name: entry['name'], valueFrom: { [kind]: reference } }
    })
}

/** Whole Secrets stay out: the pod only reports which names are set. */
function configMaps(container: Fields | null): readonly Fields[] {
  return listAt(container, 'envFrom').flatMap((source) => {
    const map = at(source, 'configMapRef')
    return map === undefined ? [] : [{ ...toFields(source), configMapRef: { ...toFields(map), optional: true } }]
  })
}

const PLACEMENT = [
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'runtimeClassName',
  'schedulerName',
  'imagePullSecrets',
  'dnsPolicy',
  'dnsConfig',
  'hostAliases',
]

/** The same nodes and DNS settings: another pool may have another network. */
function copyPlacement(template: Fields): Fields {
  return copyKeys(template, PLACEMENT)
}

function copyKeys(from: Fields | null, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.flatMap((key) => (from?.[key] === undefined ? [] : [[key, from[key]]])))
}

/** The user of the official image; used for runners that run as root. */
const RUNNER_USER = 1001

function podSecurity(template: Fields, container: Fields | null): Fields {
  const user =
    numberAt(container, 'securityContext', 'runAsUser') ?? numberAt(template, 'securityContext', 'runAsUser') ?? 0
  return {
    ...copyKeys(toFields(template['securityContext']), ['fsGroup', 'supplementalGroups']),
    runAsNonRoot: true,
    runAsUser: user > 0 ? user : RUNNER_USER,
    seccompProfile: { type: 'RuntimeDefault' },
  }
}

/** ARC and other tools identify runners by these: our pod must not have them. */
const FOREIGN =
  /^(?:actions\.github\.com\/|app\.kubernetes\.io\/|helm\.sh\/|actions-ephemeral-runner$|runner-pod$|pod-template-hash$|kubectl\.kubernetes\.io\/)/

function ownEntries(metadata: Fields, kind: 'labels' | 'annotations'): Fields {
  return Object.fromEntries(Object.entries(toFields(metadata[kind])).filter(([key]) => !FOREIGN.test(key)))
}

/** Two bundles may be in one volume. */
function unique(fields: readonly Fields[]): readonly Fields[] {
  return [...new Map(fields.map((one) => [JSON.stringify(one), one])).values()]
}
