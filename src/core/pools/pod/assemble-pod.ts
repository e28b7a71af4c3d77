import { listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { RUNNER } from '#/core/pools/check-template.ts'
import { DISPATCH_AUDIENCE, EVIDENCE_FINALIZER, POOL_LABEL } from '#/core/pools/own-pod.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { WORK_VOLUME } from './places.ts'
import { pollerContainer } from './poller-container.ts'
import { graceSeconds, runnerDefaults, runnerProtections } from './runner-container.ts'
import type { PodSettings } from './settings.ts'
import { mergePod } from './strategic-merge.ts'
import { withoutOurs } from './without-ours.ts'

/** The pod of a pool, but for its name and the digest of all this: our defaults, the template over them, our protections over both. */
export function assemblePod(pool: RunnerPool, settings: PodSettings): Fields {
  const template = withoutOurs(pool.template)
  const declared = findRunner(template)
  const withDefaults = mergePod(mergePod({ spec: { containers: [runnerDefaults(declared)] } }, DEFAULTS), template)
  const runner = findRunner(withDefaults)
  const grace = graceSeconds(pool)
  const ordered = { ...withDefaults, spec: withWorkVolume(toFields(withDefaults['spec'])) }
  return mergePod(ordered, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: pool.namespace, labels: { [POOL_LABEL]: pool.name }, finalizers: [EVIDENCE_FINALIZER] },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: grace,
      volumes: OWN,
      // After those of the template: what they prepare is ready before a job is asked for.
      initContainers: [pollerContainer(runner, settings)],
      containers: [runnerProtections(runner, pool, grace)],
    },
  })
}

/** An init container has no network behind the sidecar of a mesh, so the poller could not ask for a job. */
const DEFAULTS: Fields = {
  metadata: {
    labels: { 'sidecar.istio.io/inject': 'false' },
    annotations: { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' },
  },
  spec: { enableServiceLinks: false },
}

const TOKEN_SECONDS = 3600

const OWN: readonly Fields[] = [
  {
    name: 'signalbox-token',
    projected: {
      sources: [
        { serviceAccountToken: { path: 'token', audience: DISPATCH_AUDIENCE, expirationSeconds: TOKEN_SECONDS } },
      ],
    },
  },
  { name: 'signalbox-jit', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'signalbox-scripts', emptyDir: { sizeLimit: '1Mi' } },
]

function findRunner(template: Fields): Fields {
  return toFields(listAt(template, 'spec', 'containers').find((container) => textAt(container, 'name') === RUNNER))
}

/** Where something mounts it and the template does not say what it is. */
function withWorkVolume(spec: Fields): Fields {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  const isMounted = containers.some((one) =>
    listAt(one, 'volumeMounts').some((mount) => textAt(mount, 'name') === WORK_VOLUME),
  )
  const isDeclared = listAt(spec, 'volumes').some((volume) => textAt(volume, 'name') === WORK_VOLUME)
  if (!isMounted || isDeclared) return spec
  return { ...spec, volumes: [...listAt(spec, 'volumes'), { name: WORK_VOLUME, emptyDir: {} }] }
}
