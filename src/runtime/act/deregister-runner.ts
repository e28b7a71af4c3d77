import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Ending } from '#/core/ledger/attempt.ts'
import type { GateProof, LedgerOrigin } from '#/core/ledger/ledger-row.ts'
import type { DeregisterAnswer, GitHubActs } from '#/ports/github-acts.ts'
import type { RegisteredRunner, Registration, Runners } from '#/ports/github.ts'
import { attemptChange, uninterrupted } from './change-log.ts'
import type { ChangeLog, ChangeMeans, NotOurs } from './change-log.ts'
import type { ActWarrant } from './means.ts'

export type DeregisterOrder = {
  readonly runner: { readonly id: number; readonly name: string }
  readonly at: Registration
  /** What was proved before; what GitHub says is read again here. */
  readonly proofs: readonly GateProof[]
  /** Its pod is gone, so that it may still look online. */
  readonly mayBeOnline: boolean
}

export type DeregisterMeans = ChangeMeans & {
  readonly github: GitHubActs
  readonly runners: Pick<Runners, 'byId' | 'byName'>
}

export type DeregisterResult = NotOurs | { readonly kind: 'ended'; readonly ending: Ending }

/**
 * Removes a registration at GitHub that no pod will use. It reads the runner again right before, and GitHub itself refuses
 * to remove one that is busy, so a runner that got a job in between keeps it.
 */
export async function deregisterRunner(
  order: DeregisterOrder,
  {
    origin,
    means,
    warrant,
  }: { readonly origin: LedgerOrigin; readonly means: DeregisterMeans; readonly warrant: ActWarrant },
): Promise<DeregisterResult> {
  const { at, runner, proofs } = order
  const namespace = at.kind === 'organization' ? at.organization : at.repository
  return await attemptChange<DeregisterResult>(
    {
      attempt: {
        ...origin,
        at: means.clock.now(),
        act: 'deregister-runner',
        subject: { kind: 'Runner', namespace, name: runner.name, uid: null },
        actor: warrant.actor,
        gates: proofs,
        evidence: null,
        epoch: warrant.epoch,
        run: warrant.run,
        scaleSet: null,
        places: 1,
      },
      conclude: async () => await concludeDeregistration(at, runner.name, means),
      work: async (log) => await remove(order, log, means),
    },
    means,
    warrant,
  )
}

/** How an attempt ended that a crash left: by whether the runner is still there. */
export async function concludeDeregistration(
  at: Registration,
  name: string,
  { runners, signal }: Pick<DeregisterMeans, 'runners' | 'signal'>,
): Promise<Ending> {
  const now = await runners.byName(at, name, { signal })
  if (now.kind === 'none')
    return { outcome: 'done', decidedBy: null, why: 'it is gone, and this attempt had begun to remove it' }
  const why = now.kind === 'seen' ? 'its run ended before GitHub removed it' : describeReason(now.reason)
  return { outcome: 'failed', decidedBy: null, why }
}

async function remove(order: DeregisterOrder, log: ChangeLog, means: DeregisterMeans): Promise<DeregisterResult> {
  const { at, runner, proofs } = order
  const now = await means.runners.byId(at, runner.id, { signal: means.signal })
  const proof = proveIdle(order, now)
  const gates = [...proofs, proof]
  const ending = proof.holds === true ? null : ({ outcome: 'refused', decidedBy: proof.gate, why: proof.why } as const)
  if (now.kind === 'none') return await end(log, { outcome: 'vanished', decidedBy: null, why: proof.why }, gates)
  if (ending !== null) return await end(log, ending, gates)
  await log.advance('deregistering')
  // Its own deadline: whether it happened must not stay open because somebody ended the program.
  const answer = await means.github.deregister({ at, id: runner.id }, uninterrupted())
  return await end(log, toEnding(answer), gates)
}

async function end(log: ChangeLog, ending: Ending, gates: readonly GateProof[]): Promise<DeregisterResult> {
  await log.end(ending, gates)
  return { kind: 'ended', ending }
}

function proveIdle({ runner, mayBeOnline }: DeregisterOrder, now: Observed<RegisteredRunner>): GateProof {
  const proof = (holds: boolean | null, why: string) => ({ gate: 'read-again', holds, why, ageSeconds: 0 })
  if (now.kind === 'blind') return proof(null, describeReason(now.reason))
  if (now.kind === 'none') return proof(false, 'GitHub does not have it any more')
  const { name, status, busy } = now.value
  if (name !== runner.name) return proof(false, `runner ${runner.id} is another one now: ${name}`)
  if (busy) return proof(false, 'GitHub lists it as busy')
  if (status !== 'offline' && !mayBeOnline)
    return proof(false, `GitHub lists it as ${status}: it can get a job at any time`)
  return proof(true, `read again right before: ${status}, not busy`)
}

function toEnding(answer: DeregisterAnswer): Ending {
  switch (answer.kind) {
    case 'removed':
      return { outcome: 'done', decidedBy: null, why: 'GitHub removed it' }
    case 'busy':
      return { outcome: 'refused', decidedBy: 'github-deregistered', why: 'GitHub refused: it is running a job' }
    case 'absent':
      return { outcome: 'vanished', decidedBy: null, why: 'GitHub does not have it any more' }
    case 'blind':
      return { outcome: 'failed', decidedBy: null, why: `${describeReason(answer.reason)}; it may have happened` }
  }
}
