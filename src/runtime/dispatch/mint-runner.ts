import { runnerLabels } from '#/core/pools/find-pool.ts'
import type { BlindReason } from '#/core/basics/observed.ts'
import type { Secret } from '#/core/basics/secret.ts'
import { nameOwner } from '#/core/dispatch/fairness.ts'
import { nameRunner } from '#/core/dispatch/runner-name.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import type { Clock } from '#/ports/clock.ts'
import type { GitHub, MintOutcome, Registration } from '#/ports/github.ts'
import { breakerKey } from './breaker-gate.ts'
import type { BreakerGate, OpenBreaker } from './breaker-gate.ts'
import type { RunnerGroups } from './runner-groups.ts'

export type MintMeans = {
  readonly github: { readonly runners: Pick<GitHub['runners'], 'mint'> }
  readonly groups: RunnerGroups
  readonly breakers: BreakerGate
  readonly clock: Clock
  /** Hexadecimal digits that nobody had before. */
  readonly mark: () => string
  readonly mintWithinMs: number
}

/** For which repository, on which pod. */
export type MintRequest = { readonly pool: RunnerPool; readonly repository: string; readonly pod: string }

export type Minted =
  | {
      readonly kind: 'minted'
      readonly runner: { readonly id: number; readonly name: string }
      readonly config: Secret
      /** Who it can get jobs of. */
      readonly at: Registration
      readonly tookMs: number
    }
  | { readonly kind: 'breaker-open'; readonly breaker: OpenBreaker }
  | MintFailure

type MintFailure = {
  readonly kind: 'failed'
  readonly why: string
  /** A runner of this name may be registered all the same. */
  readonly perhaps: string | null
}

/** GitHub's id of the group in which every organisation and repository begins. */
const DEFAULT_GROUP = 1

/** Registers a runner for one job at most, within the deadline. What fails is counted where it fails: account, repository, or here. */
export async function mintRunner(means: MintMeans, request: MintRequest): Promise<Minted> {
  const keys = keysOf(request)
  for (const key of keys.all) {
    const breaker = await means.breakers.isOpen(key)
    if (breaker !== null) return { kind: 'breaker-open', breaker }
  }
  const begunAt = means.clock.now()
  const over = new AbortController()
  const tooLate = new AbortController()
  // Not AbortSignal.timeout: the deadline is one of this clock.
  void means.clock.sleep(means.mintWithinMs, over.signal).then(() => tooLate.abort())
  try {
    const minted = await register(means, request, tooLate.signal)
    if (minted.kind !== 'minted') return await blame(means, keys, minted)
    for (const key of keys.all) await means.breakers.succeeded(key)
    const { id, name } = minted.runner
    const tookMs = means.clock.now() - begunAt
    return { kind: 'minted', runner: { id, name }, config: minted.config, at: registrationOf(request), tookMs }
  } finally {
    over.abort()
  }
}

type Registered = Extract<MintOutcome, { kind: 'minted' }> | (MintFailure & { readonly fault: Fault })

/** Whose fault it is. `job`: nobody's that a breaker is about. */
type Fault = { readonly of: 'credential' | 'account' | 'repository' | 'job'; readonly until?: number }

async function register(means: MintMeans, request: MintRequest, signal: AbortSignal): Promise<Registered> {
  const groupId = await findGroup(means, request, signal)
  if (typeof groupId !== 'number') return groupId
  const labels = runnerLabels(request.pool)
  const at = registrationOf(request)
  let name = ''
  // A name can be taken by a registration whose answer was lost; another fresh one cannot.
  for (let tries = 0; tries < 2; tries += 1) {
    name = nameRunner(request.pod, means.mark())
    const outcome = await means.github.runners.mint(at, { name, groupId, labels }, { signal })
    if (outcome.kind === 'minted') return outcome
    if (outcome.kind !== 'name-taken') return explain(means, request, outcome, name)
  }
  return failure(`GitHub has a runner named ${name} already`, { of: 'job' })
}

async function findGroup(
  { groups }: MintMeans,
  { pool: { github } }: MintRequest,
  signal: AbortSignal,
): Promise<number | Extract<Registered, { kind: 'failed' }>> {
  if (github.scope === 'repository' || github.runnerGroup === null) return DEFAULT_GROUP
  const found = await groups.find(github.owner, github.runnerGroup, signal)
  if (found.kind === 'seen') return found.value
  if (found.kind === 'none') return failure(`${github.owner} has no runner group ${github.runnerGroup}`, { of: 'job' })
  return failure(
    `the runner groups of ${github.owner} could not be read: ${found.reason.detail}`,
    faultOf(found.reason),
  )
}

function explain(
  { groups }: MintMeans,
  { pool: { github } }: MintRequest,
  outcome: Exclude<MintOutcome, { kind: 'minted' | 'name-taken' }>,
  name: string,
): Extract<Registered, { kind: 'failed' }> {
  switch (outcome.kind) {
    case 'rate-limited':
      return failure(outcome.detail, { of: 'credential', until: outcome.until })
    case 'blind':
      return { ...failure(outcome.reason.detail, faultOf(outcome.reason)), perhaps: name }
    case 'refused':
      groups.forget(github.owner)
      return failure(outcome.detail, { of: faultOfRefusal(github.scope, outcome.why) })
  }
}

function faultOfRefusal(
  scope: RunnerPool['github']['scope'],
  why: Extract<MintOutcome, { kind: 'refused' }>['why'],
): Fault['of'] {
  // What GitHub cannot take as it is, such as a label, says nothing about the account.
  if (why === 'invalid') return 'job'
  return why === 'absent' && scope === 'repository' ? 'repository' : 'account'
}

/** Where GitHub refuses to look, it is the credential or the whole of GitHub. */
function faultOf({ code }: BlindReason): Fault {
  return { of: code === 'forbidden' ? 'account' : 'credential' }
}

function failure(why: string, fault: Fault): Extract<Registered, { kind: 'failed' }> {
  return { kind: 'failed', why, fault, perhaps: null }
}

async function blame(
  { breakers }: MintMeans,
  keys: ReturnType<typeof keysOf>,
  { fault, why, perhaps }: Extract<Registered, { kind: 'failed' }>,
): Promise<Minted> {
  if (fault.of !== 'job') await breakers.failed(keys[fault.of], why, fault.until)
  return { kind: 'failed', why, perhaps }
}

/** Under `repository` only that repository can have given the runner its job. */
export function registrationOf({ pool: { github }, repository }: Omit<MintRequest, 'pod'>): Registration {
  return github.scope === 'organization'
    ? { kind: 'organization', organization: github.owner }
    : { kind: 'repository', repository }
}

function keysOf({ pool, repository }: MintRequest) {
  const credential = breakerKey.credential(pool.github.credential)
  const account = breakerKey.owner(nameOwner({ repository }))
  const ofRepository = breakerKey.repository(repository)
  return { credential, account, repository: ofRepository, all: [credential, account, ofRepository] }
}
