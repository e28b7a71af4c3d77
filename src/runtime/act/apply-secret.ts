import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Attempt, Ending } from '#/core/ledger/attempt.ts'
import type { GateProof } from '#/core/ledger/ledger-row.ts'
import { planCopy, readContent } from '#/core/pull-secrets/plan-copy.ts'
import type { CopyPlan, DeclaredCopy } from '#/core/pull-secrets/plan-copy.ts'
import type { LaneActs, SecretOrder, SecretOutcome } from '#/ports/kubernetes-acts.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { keyedDigest } from '#/runtime/keyed-digest.ts'
import { attemptChange, uninterrupted } from './change-log.ts'
import type { ChangeLog, ChangeMeans, NotOurs } from './change-log.ts'
import type { ActWarrant } from './means.ts'

/** Original and copy, read at once. */
export type SecretPair = { readonly original: Observed<KubeObject>; readonly copy: Observed<KubeObject> }

export type SecretMeans = ChangeMeans & {
  readonly kubernetes: Pick<LaneActs, 'applySecret'>
  readonly read: (copy: DeclaredCopy) => Promise<SecretPair>
}

export type SecretResult =
  | NotOurs
  | { readonly kind: 'done' | 'same' | 'refused' | 'blind' | 'failed'; readonly why: string }

/** Copies the credential of one Secret to another namespace, by server-side apply. No row and no answer has a value of it. */
export async function applySecret(
  copy: DeclaredCopy,
  { force }: { readonly force: boolean },
  means: SecretMeans,
  warrant: ActWarrant,
): Promise<SecretResult> {
  const pair = await means.read(copy)
  const plan = planCopy(pair.original, pair.copy, keyedDigest)
  if (plan.kind === 'same') return { kind: 'same', why: plan.digest }
  const attempt = toAttempt(copy, { pair, plan, at: means.clock.now() }, warrant)
  if (plan.kind === 'refused' || plan.kind === 'blind') {
    await means.ledger.record({ ...attempt, outcome: 'refused', decidedBy: 'direction', why: plan.why })
    return plan
  }
  return await attemptChange(
    {
      attempt,
      conclude: async () => concludeLeft(await means.read(copy)),
      work: (log) => carryOut({ copy, force }, log, means),
    },
    means,
    warrant,
  )
}

async function carryOut(
  { copy, force }: { readonly copy: DeclaredCopy; readonly force: boolean },
  log: ChangeLog,
  means: SecretMeans,
): Promise<SecretResult> {
  await log.advance('applying')
  const pair = await means.read(copy)
  const order = toOrder(copy, pair, force)
  if (order === null) {
    const why = 'the original can no longer be read as a pull secret'
    await log.end({ outcome: 'failed', decidedBy: null, why })
    return { kind: 'failed', why }
  }
  const outcome = await means.kubernetes.applySecret(order, uninterrupted())
  const result = toResult(outcome)
  await log.end(toEnding(result))
  return result
}

function toOrder({ name, to }: DeclaredCopy, { original, copy }: SecretPair, force: boolean): SecretOrder | null {
  const content = original.kind === 'seen' ? readContent(original.value) : null
  if (content === null || copy.kind === 'blind') return null
  const { type, key, value } = content
  const existing =
    copy.kind === 'seen' ? { uid: copy.value.metadata.uid, resourceVersion: copy.value.metadata.resourceVersion } : null
  return { namespace: to, name, type, data: { [key]: value }, existing, force }
}

type Ended = { readonly kind: 'done' | 'refused' | 'failed'; readonly why: string }

function toResult(outcome: SecretOutcome): Ended {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', why: 'the copy is equal to the original' }
    case 'owned':
      return { kind: 'refused', why: `another field manager has set it: ${outcome.managers.join(', ')}` }
    case 'changed':
      return { kind: 'failed', why: `it changed meanwhile: ${outcome.message}` }
    case 'gone':
      return { kind: 'failed', why: 'its namespace does not exist' }
    case 'declined':
      return { kind: 'failed', why: outcome.message }
    case 'blind':
      return {
        kind: 'failed',
        why: `${describeReason(outcome.reason)}${outcome.applied === 'unknown' ? '; it may have happened' : ''}`,
      }
  }
}

const OWNED_GATE = 'field-manager'

function toEnding({ kind, why }: Ended): Ending {
  if (kind === 'refused') return { outcome: 'refused', decidedBy: OWNED_GATE, why }
  return { outcome: kind === 'done' ? 'done' : 'failed', decidedBy: null, why }
}

function concludeLeft({ original, copy }: SecretPair): Ending {
  const plan = planCopy(original, copy, keyedDigest)
  return plan.kind === 'same'
    ? { outcome: 'done', decidedBy: null, why: 'its run ended early, and the copy is equal to the original' }
    : { outcome: 'failed', decidedBy: null, why: 'its run ended early, and the copy is not equal to the original' }
}

type Looked = { readonly pair: SecretPair; readonly plan: CopyPlan; readonly at: number }

function toAttempt({ name, from, to }: DeclaredCopy, { pair, plan, at }: Looked, warrant: ActWarrant): Attempt {
  const { actor, epoch, run } = warrant
  const uid = pair.copy.kind === 'seen' ? pair.copy.value.metadata.uid : null
  const isPlanned = plan.kind === 'create' || plan.kind === 'update'
  const direction: GateProof = {
    gate: 'direction',
    holds: isPlanned ? true : plan.kind === 'blind' ? null : false,
    why: isPlanned ? `the fleet file declares ${from}/${name} as the original` : 'why' in plan ? plan.why : '',
    ageSeconds: 0,
  }
  const digests: readonly GateProof[] = isPlanned
    ? [{ gate: 'digest', holds: true, why: `${plan.had ?? 'none'} → ${plan.digest}`, ageSeconds: 0 }]
    : []
  return {
    command: 'pull-secrets sync',
    at,
    act: 'apply-secret',
    subject: { kind: 'Secret', namespace: to, name, uid },
    actor,
    gates: [direction, ...digests],
    evidence: null,
    epoch,
    run,
    scaleSet: null,
    places: 0,
  }
}
