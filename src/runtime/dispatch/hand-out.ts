import { nameOwner } from '#/core/dispatch/fairness.ts'
import type { Claim } from '#/core/dispatch/claims.ts'
import type { Slot } from '#/core/dispatch/slot.ts'
import { OWNER_LABEL } from '#/core/pools/own-pod.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Registration } from '#/ports/github.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import type { Log } from '#/ports/log.ts'
import { refuse } from './answer.ts'
import type { DispatchAnswer } from './answer.ts'
import { mintRunner, registrationOf } from './mint-runner.ts'
import type { Minted, MintMeans } from './mint-runner.ts'
import { record } from './record.ts'
import { returnJob } from './return-job.ts'
import type { ReturnMeans } from './return-job.ts'

export type HandOutMeans = MintMeans &
  ReturnMeans & {
    readonly kubernetes: Pick<Kubernetes, 'patch'>
    readonly log: Pick<Log, 'warn'>
    /** The runner was handed out. `mintMs`: of it GitHub's own time. */
    readonly handedOut: (job: number, scope: string, mintMs: number) => void
  }

type Claimed = Extract<Slot, { state: 'claimed' }>

const STAMP_MS = 2_000
/** A slot can be aimed at another job while its runner is minted. */
const MAX_AIMS = 5

/**
 * From the claim to the answer; docs/dispatch.md lists what a crash after each step leaves. The slot is minted in the store
 * before the pod gets the configuration, so that no pod can have a runner that we do not know.
 */
export async function handOut(means: HandOutMeans, claim: Claim, pool: RunnerPool): Promise<DispatchAnswer> {
  const slot = await readClaimed(means, claim.slot.uid)
  if (slot === null) return { kind: 'no-job' }
  const job = slot.intended === claim.job.id ? claim.job : await means.assignments.job(slot.intended)
  if (job === null) return { kind: 'no-job' }
  const { repository } = job
  const stamping = stamp(means, slot, nameOwner(job))
  const minted = await mintRunner(means, { pool, repository, pod: slot.pod })
  if (minted.kind !== 'minted') {
    await returnJob(means, slot.uid, 'mint-failed')
    return refusal(means, slot, minted)
  }
  const holds = await recordMinted(means, slot, minted, pool)
  await stamping
  if (holds === null) {
    // Nobody uses it: the loop `idle-registrations` finds it by its name.
    means.log.warn('a runner was registered whose job has gone', { runner: minted.runner.name, slot: slot.uid })
    return { kind: 'no-job' }
  }
  means.handedOut(holds, slot.scope, minted.tookMs)
  return { kind: 'job', slot: slot.uid, runner: minted.runner, jit: minted.config }
}

async function readClaimed({ assignments }: HandOutMeans, uid: string): Promise<Claimed | null> {
  const slot = await assignments.slot(uid)
  return slot?.state === 'claimed' ? slot : null
}

/** The job that the slot is minted for, or null where it is minted for none. */
async function recordMinted(
  means: HandOutMeans,
  claimed: Claimed,
  { runner, at: registration }: Extract<Minted, { kind: 'minted' }>,
  pool: RunnerPool,
): Promise<number | null> {
  const { assignments, clock } = means
  let slot: Claimed | null = claimed
  for (let aims = 0; aims < MAX_AIMS && slot !== null; aims += 1) {
    const { uid, generation, intended } = slot
    if (aims > 0 && !(await serves(means, { intended, pool, registration }))) {
      await returnJob(means, uid, 'mint-failed')
      return null
    }
    const happening = { kind: 'slot-minted', at: clock.now(), slot: { uid, generation }, runner } as const
    if ((await record(assignments, happening)).kind === 'changed') return intended
    slot = await readClaimed(means, uid)
  }
  return null
}

type Aim = { readonly intended: number; readonly pool: RunnerPool; readonly registration: Registration }

/** A runner of one repository gets no job of another. */
async function serves({ assignments }: HandOutMeans, { intended, pool, registration }: Aim): Promise<boolean> {
  if (registration.kind === 'organization') return true
  const job = await assignments.job(intended)
  if (job === null) return false
  const wanted = registrationOf({ pool, repository: job.repository })
  return wanted.kind === 'repository' && wanted.repository === registration.repository
}

/** For network policies and for people: it is there before the job begins, unless the cluster cannot write it now. */
async function stamp({ kubernetes, log }: HandOutMeans, { uid, namespace, pod }: Slot, owner: string): Promise<void> {
  const outcome = await kubernetes.patch(
    {
      resource: RESOURCES.pods,
      namespace,
      name: pod,
      preconditions: { uid },
      patch: { kind: 'merge', changes: { metadata: { labels: { [OWNER_LABEL]: owner } } } },
    },
    AbortSignal.timeout(STAMP_MS),
  )
  if (outcome.kind === 'done') return
  const why = 'message' in outcome ? outcome.message : outcome.kind === 'blind' ? outcome.reason.detail : outcome.kind
  log.warn('the label of the owner could not be set', { namespace, pod, owner, why })
}

function refusal(
  { log, clock }: HandOutMeans,
  { uid, pod }: Slot,
  minted: Exclude<Minted, { kind: 'minted' }>,
): DispatchAnswer {
  if (minted.kind === 'breaker-open') {
    const { key, why, until } = minted.breaker
    return refuse('breaker-open', `${key} keeps failing: ${why}`, until - clock.now())
  }
  const { why, perhaps } = minted
  // The name begins with that of the pod: the loop `idle-registrations` finds a runner that is registered all the same.
  log.warn('no runner was registered', { slot: uid, pod, why, perhapsRegistered: perhaps ?? '' })
  return refuse('github-unavailable', `GitHub registered no runner: ${why}`)
}
