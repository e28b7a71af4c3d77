import type { Fields } from '#/core/basics/fields.ts'
import { at, toFields, listAt, numberAt, textAt, timeAt } from '#/core/basics/fields.ts'
import type { ArcGeneration } from '#/core/fleet/arc-version.ts'
import { findGeneration } from '#/core/fleet/arc-version.ts'
import { recordedJob } from '#/core/github/recorded-job.ts'
import type { RecordedJob } from '#/core/github/recorded-job.ts'

const PREFIX = 'actions.github.com/'

/** What all ARC objects have. */
export type ArcObject = {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string | null
  readonly createdAt: number | null
  readonly deletedAt: number | null
  readonly version: string | null
  readonly labels: Fields
  readonly annotations: Fields
  /** Its owners. */
  readonly owners: readonly { readonly kind: string; readonly name: string; readonly uid: string | null }[]
  readonly finalizers: readonly string[]
  readonly raw: Fields
}

export function readArcObject(kind: string, object: Fields): ArcObject {
  const labels = toFields(at(object, 'metadata', 'labels'))
  return {
    kind,
    namespace: textAt(object, 'metadata', 'namespace') ?? 'default',
    name: textAt(object, 'metadata', 'name') ?? '',
    uid: textAt(object, 'metadata', 'uid'),
    createdAt: timeAt(object, 'metadata', 'creationTimestamp'),
    deletedAt: timeAt(object, 'metadata', 'deletionTimestamp'),
    version: textAt(labels, 'app.kubernetes.io/version'),
    labels,
    annotations: toFields(at(object, 'metadata', 'annotations')),
    owners: listAt(object, 'metadata', 'ownerReferences').map((owner) => ({
      kind: textAt(owner, 'kind') ?? '',
      name: textAt(owner, 'name') ?? '',
      uid: textAt(owner, 'uid'),
    })),
    finalizers: listAt(object, 'metadata', 'finalizers').filter((text) => typeof text === 'string'),
    raw: object,
  }
}

/** An AutoscalingRunnerSet. Its counts in `status` are often wrong and are not read. */
export type ScaleSet = ArcObject & {
  readonly generation: ArcGeneration
  /** Absent up to 0.13, and on a set that no controller has reconciled. */
  readonly phase: string | null
  readonly hasStatus: boolean
  readonly configUrl: string | null
  readonly configSecret: string | null
  readonly usesVault: boolean
  readonly runnerGroup: string | null
  /** The labels for `runs-on`: its name at GitHub first, then its other labels. */
  readonly runsOn: readonly string[]
  readonly minRunners: number
  /** Null means unlimited. */
  readonly maxRunners: number | null
  readonly scaleSetId: string | null
  /** The pod template's spec. */
  readonly template: Fields
  readonly templateMetadata: Fields
}

export function readScaleSet(object: Fields): ScaleSet {
  const base = readArcObject('AutoscalingRunnerSet', object)
  const spec = at(object, 'spec')
  const further = listAt(spec, 'runnerScaleSetLabels').filter((label) => typeof label === 'string')
  return {
    ...base,
    generation: findGeneration(base.version, {
      hasIntegrityHash: textAt(base.annotations, `${PREFIX}integrity-hash`) !== null,
      hasActionableRevision: numberAt(spec, 'actionableRevision') !== null,
    }),
    phase: textAt(object, 'status', 'phase'),
    hasStatus: at(object, 'status') !== undefined,
    configUrl: textAt(spec, 'githubConfigUrl')?.replace(/\/+$/, '') ?? null,
    configSecret: textAt(spec, 'githubConfigSecret'),
    usesVault: at(spec, 'vaultConfig') !== undefined,
    runnerGroup: textAt(spec, 'runnerGroup'),
    runsOn: [...new Set([textAt(spec, 'runnerScaleSetName') ?? base.name, ...further])],
    minRunners: numberAt(spec, 'minRunners') ?? 0,
    maxRunners: numberAt(spec, 'maxRunners'),
    scaleSetId: textAt(base.annotations, 'runner-scale-set-id'),
    template: toFields(at(spec, 'template', 'spec')),
    templateMetadata: toFields(at(spec, 'template', 'metadata')),
  }
}

/** An AutoscalingListener, in the controller's namespace, with the same name as its pod. It has no status. */
export type Listener = ArcObject & {
  readonly setNamespace: string
  readonly setName: string
  readonly runnerSetName: string | null
  readonly scaleSetId: string | null
  readonly minRunners: number
  readonly maxRunners: number | null
  readonly image: string | null
  readonly pullSecrets: readonly string[]
  readonly configSecret: string | null
}

/** ARC writes this for "unlimited". */
const UNBOUNDED = 2_147_483_647

export function readListener(object: Fields): Listener {
  const spec = at(object, 'spec')
  const base = readArcObject('AutoscalingListener', object)
  const max = numberAt(spec, 'maxRunners')
  const id = numberAt(spec, 'runnerScaleSetId')
  return {
    ...base,
    setNamespace:
      textAt(spec, 'autoscalingRunnerSetNamespace') ?? textAt(base.labels, `${PREFIX}scale-set-namespace`) ?? '',
    setName: textAt(spec, 'autoscalingRunnerSetName') ?? textAt(base.labels, `${PREFIX}scale-set-name`) ?? '',
    runnerSetName: textAt(spec, 'ephemeralRunnerSetName'),
    scaleSetId: id === null ? null : String(id),
    minRunners: numberAt(spec, 'minRunners') ?? 0,
    maxRunners: max === UNBOUNDED ? null : max,
    image: textAt(spec, 'image'),
    pullSecrets: listAt(spec, 'imagePullSecrets').flatMap((secret) => textAt(secret, 'name') ?? []),
    configSecret: textAt(spec, 'githubConfigSecret'),
  }
}

/** An EphemeralRunnerSet: one generation of a set's runners. */
export type RunnerSet = ArcObject & {
  readonly setName: string
  readonly phase: string | null
  /** 0 if absent. */
  readonly replicas: number
  readonly patchId: number | null
  readonly specHash: string | null
  /** Correct until it is being deleted. */
  readonly currentReplicas: number | null
}

export function readRunnerSet(object: Fields): RunnerSet {
  const base = readArcObject('EphemeralRunnerSet', object)
  const owner = base.owners.find(({ kind }) => kind === 'AutoscalingRunnerSet')
  return {
    ...base,
    setName: owner?.name ?? textAt(base.labels, `${PREFIX}scale-set-name`) ?? '',
    phase: textAt(object, 'status', 'phase'),
    replicas: numberAt(object, 'spec', 'replicas') ?? 0,
    patchId: numberAt(object, 'spec', 'patchID'),
    specHash:
      textAt(base.annotations, `${PREFIX}runner-spec-hash`) ?? textAt(base.annotations, `${PREFIX}integrity-hash`),
    currentReplicas: numberAt(object, 'status', 'currentReplicas'),
  }
}

/** An EphemeralRunner as ARC records it. Its pod and its runner at GitHub have the same name. */
export type RunnerRecord = ArcObject & {
  readonly setName: string
  readonly runnerSetName: string
  readonly phase: string | null
  readonly ready: boolean | null
  readonly reason: string | null
  readonly message: string | null
  readonly runnerId: number | null
  readonly runnerName: string
  /** Times of the failures; null if the version wrote none. */
  readonly failures: readonly (number | null)[]
  readonly job: RecordedJob | null
  /** The pod template's spec. */
  readonly template: Fields
}

export function readRunnerRecord(object: Fields): RunnerRecord {
  const base = readArcObject('EphemeralRunner', object)
  const owner = base.owners.find(({ kind }) => kind === 'EphemeralRunnerSet')
  const status = at(object, 'status')
  const ready = at(status, 'ready')
  const runnerId = numberAt(status, 'runnerId')
  return {
    ...base,
    setName: textAt(base.labels, `${PREFIX}scale-set-name`) ?? '',
    runnerSetName: owner?.name ?? '',
    phase: textAt(status, 'phase'),
    ready: typeof ready === 'boolean' ? ready : null,
    reason: textAt(status, 'reason'),
    message: textAt(status, 'message'),
    runnerId: runnerId === 0 ? null : runnerId,
    runnerName: textAt(status, 'runnerName') ?? base.name,
    failures: Object.keys(toFields(at(status, 'failures'))).map((uid) => timeAt(status, 'failures', uid)),
    job: recordedJob(object),
    template: toFields(at(object, 'spec', 'spec')),
  }
}
