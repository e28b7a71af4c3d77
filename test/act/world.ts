import { blind, none, seen } from '#/core/basics/observed.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import type { Premise } from '#/core/interlock/premise.ts'
import { readAt } from '#/core/interlock/reading.ts'
import type { ActCandidate, CandidateNow, RunnerNow } from '#/ports/act-candidate.ts'
import type { DeregisterAnswer } from '#/ports/github-acts.ts'
import type { ActTarget, RemovalOutcome } from '#/ports/kubernetes-acts.ts'

/** What shows that a runner has a job: its object, GitHub's runner, GitHub's job, a process. */
export const SIGNS = ['record', 'busy', 'job', 'worker'] as const
export type Sign = (typeof SIGNS)[number]

export type WorldRunner = {
  readonly name: string
  uid: string
  version: number
  readonly id: number
  isRegistered: boolean
  hasJob: boolean
  isDeleting: boolean
  createdAt: number
}

export const START = EXAMPLE_CANDIDATE.now
const HOUR_MS = 3_600_000
const NAMESPACE = 'arc-runners'

/** A cluster and GitHub, with the truth about jobs. What is seen of it may lag; GitHub's answer to a removal does not. */
export class World {
  now = START
  readonly runners = new Map<string, WorldRunner>()
  /** Signs that a job shows by. */
  signs: ReadonlySet<Sign> = new Set(SIGNS)
  /** GitHub's list has the runners. Else it says, completely, that it has none. */
  isListed = true
  /** GitHub does not know of the job yet, and lets the runner go. */
  isRefusalLate = false
  isListComplete = true
  isListenerKnown = true
  /** Whether a policy would still propose what is asked for. */
  premise: Premise = { kind: 'stands' }
  canStoreEvidence = true
  readonly stored = new Set<string>()
  /** In the order in which it happened. */
  readonly removed: {
    readonly uid: string
    readonly hadJob: boolean
    readonly hadEvidence: boolean
    readonly ageMs: number
  }[] = []
  #lastUid = 0

  add(name: string, ageMs = HOUR_MS): WorldRunner {
    this.#lastUid += 1
    const uid = `uid-${this.#lastUid}`
    const own = { isRegistered: true, hasJob: false, isDeleting: false, createdAt: this.now - ageMs }
    const runner: WorldRunner = { name, uid, version: 1, id: this.#lastUid, ...own }
    this.runners.set(name, runner)
    return runner
  }

  /** GitHub gives a job only to a runner that it knows. Whoever records it changes the object. */
  giveJob(name: string): void {
    const runner = this.runners.get(name)
    if (runner === undefined || runner.hasJob || !runner.isRegistered || runner.isDeleting) return
    runner.hasJob = true
    if (this.signs.has('record')) runner.version += 1
  }

  candidateOf(...names: readonly string[]): ActCandidate {
    const runners = names.map((name) => {
      const { uid } = this.runners.get(name) ?? { uid: null }
      return { namespace: NAMESPACE, name, identity: { uid, generation: 1, owner: 'EphemeralRunnerSet lane' } }
    })
    const [first] = runners
    const isOne = runners.length === 1
    return {
      act: 'delete-ephemeral-runner',
      origin: { policy: isOne ? 'offline' : 'wedge' },
      subject: isOne
        ? { kind: 'EphemeralRunner', namespace: NAMESPACE, name: first?.name ?? '', uid: first?.identity.uid ?? null }
        : { kind: 'AutoscalingRunnerSet', namespace: NAMESPACE, name: 'lane', uid: null },
      scaleSet: `${NAMESPACE}/lane`,
      runners,
    }
  }

  observe({ runners }: ActCandidate): CandidateNow {
    return {
      runners: runners.map((proposed) => this.#look(proposed)),
      premise: this.premise,
      scales: [this.#set()],
    }
  }

  #set(): ActTarget {
    return { kind: 'EphemeralRunnerSet', namespace: NAMESPACE, name: 'lane-x7k2p', uid: 'set', resourceVersion: '1' }
  }

  #look({ name, namespace, identity }: ActCandidate['runners'][number]): RunnerNow {
    const runner = this.runners.get(name)
    const base = { ...EXAMPLE_CANDIDATE, subject: { kind: 'EphemeralRunner', namespace, name }, now: this.now }
    const proposed = { ...base, proposed: identity, ...this.#conditions() }
    if (runner === undefined) {
      return { snapshot: { ...proposed, object: readAt(this.now, none()) }, target: null, registration: null }
    }
    const target = { namespace, name, uid: runner.uid, resourceVersion: String(runner.version) }
    return {
      snapshot: { ...proposed, ...this.#signsOf(runner, identity) },
      target: { kind: 'EphemeralRunner', ...target },
      registration: { kind: 'organization', organization: 'acme' },
    }
  }

  #conditions(): Pick<CandidateSnapshot, 'listener' | 'lists'> {
    const list = this.isListComplete ? seen(1) : blind('truncated', 'total_count is 2, rows are 1')
    return {
      listener: this.isListenerKnown
        ? EXAMPLE_CANDIDATE.listener
        : readAt(this.now, blind('forbidden', 'listeners could not be read')),
      lists: [{ source: 'github/runners', rows: list, at: this.now, notEmpty: null }],
    }
  }

  #signsOf(runner: WorldRunner, identity: CandidateSnapshot['proposed']): Partial<CandidateSnapshot> {
    const shows = (sign: Sign): boolean => runner.hasJob && this.signs.has(sign)
    const isKnown = this.isListed && runner.isRegistered
    const row = { id: runner.id, isOnline: false, isBusy: shows('busy') }
    const pod = { phase: runner.hasJob ? 'Running' : 'Failed', node: null, containers: [], jobPods: [] }
    const at = this.now
    return {
      object: readAt(at, seen({ ...identity, uid: runner.uid, isDeleting: runner.isDeleting })),
      record: readAt(at, seen({ job: shows('record') ? 'build' : null, slot: null, mark: null })),
      github: readAt(at, isKnown ? seen(row) : none()),
      githubJob: readAt(at, shows('job') ? seen({ id: 1, status: 'in_progress' }) : none()),
      deregistration: readAt(at, isKnown ? blind('not-asked', 'only the act asks GitHub to remove it') : none()),
      pod: readAt(at, shows('worker') ? seen(pod) : none()),
      processes: readAt(at, seen(['1 0 10 Runner.Listener', ...(shows('worker') ? ['2 1 5 Runner.Worker'] : [])])),
      createdAt: readAt(at, seen(runner.createdAt)),
    }
  }

  deregister(id: number): DeregisterAnswer {
    const runner = [...this.runners.values()].find((one) => one.id === id)
    if (runner === undefined || !runner.isRegistered) return { kind: 'absent' }
    if (runner.hasJob && !this.isRefusalLate) return { kind: 'busy' }
    runner.isRegistered = false
    return { kind: 'removed' }
  }

  remove({ name, uid, resourceVersion }: ActTarget): RemovalOutcome {
    const runner = this.runners.get(name)
    if (runner === undefined) return { kind: 'gone' }
    if (runner.uid !== uid || String(runner.version) !== resourceVersion) {
      return { kind: 'changed', message: 'the object has been modified' }
    }
    const hadEvidence = this.stored.has(name)
    this.removed.push({ uid, hadJob: runner.hasJob, hadEvidence, ageMs: this.now - runner.createdAt })
    this.runners.delete(name)
    return { kind: 'done' }
  }

  storeEvidence(names: readonly string[]): string | null {
    if (!this.canStoreEvidence) return null
    for (const name of names) this.stored.add(name)
    return `death of ${names.join(', ')}`
  }
}
