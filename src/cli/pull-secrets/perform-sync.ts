import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Fields } from '#/core/basics/fields.ts'
import type { LedgerRow } from '#/core/ledger/ledger-row.ts'
import { planCopy } from '#/core/pull-secrets/plan-copy.ts'
import type { CopyPlan, DeclaredCopy } from '#/core/pull-secrets/plan-copy.ts'
import { findStuckListeners } from '#/core/pull-secrets/stuck-listener.ts'
import type { StuckListener } from '#/core/pull-secrets/stuck-listener.ts'
import type { Clock } from '#/ports/clock.ts'
import type { LaneActs } from '#/ports/kubernetes-acts.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { withoutLastApplied } from '#/ports/kubernetes-object.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { applySecret } from '#/runtime/act/apply-secret.ts'
import type { SecretPair, SecretResult } from '#/runtime/act/apply-secret.ts'
import type { ActWarrant } from '#/runtime/act/means.ts'
import { recreateListener } from '#/runtime/act/recreate-listener.ts'
import type { ListenerResult } from '#/runtime/act/recreate-listener.ts'
import { keyedDigest } from '#/runtime/keyed-digest.ts'

export type SyncTools = {
  readonly kubernetes: Pick<Kubernetes, 'get' | 'list'>
  readonly acts: Pick<LaneActs, 'applySecret' | 'recreateListener'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What a copy is, without any value. */
export type ComparedCopy = { readonly copy: DeclaredCopy; readonly plan: CopyPlan }
export type SyncLook = {
  readonly copies: readonly ComparedCopy[]
  readonly listeners: readonly StuckListener[]
  /** Namespaces whose pods could not be read. */
  readonly blind: readonly string[]
}

/** The copies as they are, and the listeners that wait for one of them. */
export async function lookAtCopies(copies: readonly DeclaredCopy[], tools: SyncTools): Promise<SyncLook> {
  const compared: ComparedCopy[] = []
  for (const copy of copies) {
    const { original, copy: own } = await readPair(copy, tools)
    compared.push({ copy, plan: planCopy(original, own, keyedDigest) })
  }
  tools.signal.throwIfAborted()
  return { copies: compared, ...(await findListeners(copies, tools)) }
}

const LISTENERS = 'app.kubernetes.io/component=runner-scale-set-listener'

async function findListeners(
  copies: readonly DeclaredCopy[],
  { kubernetes, signal }: SyncTools,
): Promise<Pick<SyncLook, 'listeners' | 'blind'>> {
  const secrets = new Set(copies.map(({ to, name }) => `${to}/${name}`))
  const pods: Fields[] = []
  const blind: string[] = []
  for (const namespace of new Set(copies.map(({ to }) => to))) {
    const list = await kubernetes.list({ resource: RESOURCES.pods, namespace, labelSelector: LISTENERS }, signal)
    if (list.kind === 'seen') pods.push(...list.value.items)
    if (list.kind === 'blind') blind.push(`${namespace}: ${describeReason(list.reason)}`)
  }
  return { listeners: findStuckListeners(pods, secrets), blind }
}

export type SyncDone = {
  readonly copies: readonly (ComparedCopy & { readonly result: SecretResult | null })[]
  readonly listeners: readonly { readonly pod: StuckListener; readonly result: ListenerResult }[]
  readonly blind: readonly string[]
}

type SyncOrder = { readonly force: boolean; readonly warrant: ActWarrant }

/** Applies the copies that differ, then makes ARC recreate the listeners that wait for a copy that is right now. */
export async function applyCopies(
  { copies }: SyncLook,
  { ledger, storePod }: Pick<ActBook, 'ledger' | 'storePod'>,
  tools: SyncTools,
  { force, warrant }: SyncOrder,
): Promise<SyncDone> {
  const { kubernetes, acts, clock, signal } = tools
  const means = { ledger, clock, signal, kubernetes: acts }
  const applied: SyncDone['copies'][number][] = []
  for (const one of copies) {
    signal.throwIfAborted()
    const isDue = one.plan.kind !== 'same'
    const read = (copy: DeclaredCopy): Promise<SecretPair> => readPair(copy, tools)
    const result = isDue ? await applySecret(one.copy, { force }, { ...means, read }, warrant) : null
    applied.push({ ...one, result })
  }
  const right = applied.filter(
    ({ plan, result }) => plan.kind === 'same' || result?.kind === 'done' || result?.kind === 'same',
  )
  const { listeners, blind } = await findListeners(
    right.map(({ copy }) => copy),
    tools,
  )
  const recreated: SyncDone['listeners'][number][] = []
  for (const pod of listeners) {
    signal.throwIfAborted()
    const read = ({ namespace, name }: StuckListener) =>
      kubernetes.get({ resource: RESOURCES.pods, namespace, name }, signal)
    recreated.push({ pod, result: await recreateListener(pod, { ...means, read, storePod }, warrant) })
  }
  return { copies: applied, listeners: recreated, blind }
}

async function readPair({ name, from, to }: DeclaredCopy, { kubernetes, signal }: SyncTools): Promise<SecretPair> {
  const at = (namespace: string) =>
    kubernetes.get({ resource: RESOURCES.secrets, namespace, name, trim: withoutLastApplied }, signal)
  const [original, copy] = await Promise.all([at(from), at(to)])
  return { original, copy }
}

/** Who has it under way. */
export function describeHolder(row: LedgerRow | null): string {
  return row === null ? 'another run' : `attempt ${row.id} of ${row.actor}`
}
