import { blind, none, seen } from '#/core/basics/observed.ts'
import type { CandidateSnapshot } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import type { Premise } from '#/core/interlock/premise.ts'
import { readAt } from '#/core/interlock/reading.ts'
import type { ActCandidate, CandidateNow, ProposedRunner, RunnerNow } from '#/ports/act-candidate.ts'
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
  /** An API server that does not look at preconditions. */
  isBlunt = false
  /** How this version of ARC is freed from a wedge. */
  isFreedByScaling = false
  #lastUid = 0
  /** Changes with the counts in its status. */
  #setVersion = 1

  add(name: string, ageMs = HOUR_MS): WorldRunner {
    this.#lastUid += 1
    const uid = `uid-${this.#lastUid}`
    const own = { isRegistered: true, hasJob: false, isDeleting: false, createdAt: this.now - ageMs }
    const runner: WorldRunner = { name, uid, version: 1, id: this.#lastUid, ...own }
    this.runners.set(name, runner)
    this.#setVersion += 1
    return runner
  }

  /** GitHub gives a job only to a runner that it knows. Whoever records it changes the object. */
  giveJob(name: string): void {
    const runner = this.runners.get(name)
    if (runner === undefined || runner.hasJob || !runner.isRegistered || runner.isDeleting) return
    runner.hasJob = true
    if (this.signs.has('record')) runner.version += 1
  }

  /** Of one runner, or of a wedged set with all of them. */
  candidateOf(...names: readonly string[]): ActCandidate {
    const runners = names.map((name) => {
      const { uid } = this.runners.get(name) ?? { uid: null }
      return { namespace: NAMESPACE, name, identity: { uid, generation: 1, owner: 'EphemeralRunnerSet lane' } }
    })
    const [first] = runners
    const isOne = runners.length === 1
    return {
      act: isOne || !this.isFreedByScaling ? 'delete-ephemeral-runner' : 'scale-ephemeral-runner-set',
      origin: { policy: isOne ? 'offline' : 'wedge' },
      subject: isOne
        ? { kind: 'EphemeralRunner', namespace: NAMESPACE, name: first?.name ?? '', uid: first?.identity.uid ?? null }
        : { kind: 'AutoscalingRunnerSet', namespace: NAMESPACE, name: 'lane', uid: null },
      scaleSet: `${NAMESPACE}/lane`,
      runners,
    }
  }

  /** One source after the other, as they are read: what happens between two of them tears the view. */
  async observe(candidate: ActCandidate, between: (source: string) => void | Promise<void>): Promise<CandidateNow> {
    const { runners } = candidate
    const look = async <T>(source: string, read: (proposed: ProposedRunner) => T): Promise<readonly T[]> => {
      await between(source)
      return runners.map(read)
    }
    const signs = async (source: string, read: (runner: WorldRunner) => Partial<CandidateSnapshot>) =>
      await look(source, ({ name }) => {
        const runner = this.runners.get(name)
        return runner === undefined ? {} : read(runner)
      })
    const pods = await signs('pods', (runner) => this.#podOf(runner))
    const github = await signs('GitHub', (runner) => this.#githubOf(runner))
    await between('the runner set')
    const scales = [this.#set()]
    const objects = await look('the runners', (proposed) => this.#objectOf(proposed, this.#findOutgrown(candidate)))
    const premise = this.premise
    await between('the listener')
    const conditions = this.#conditions()
    const jobs = await signs('the jobs', (runner) => this.#jobOf(runner))
    const processes = await signs('the processes', (runner) => this.#processesOf(runner))
    const now: RunnerNow[] = []
    for (const [index, { snapshot, facts, target, registration }] of objects.entries()) {
      const about = { ...pods[index], ...github[index], ...jobs[index], ...processes[index] }
      // Without its object nothing more is looked for.
      const known = { ...(target === null ? {} : about), ...facts }
      now.push({ snapshot: { ...snapshot, ...conditions, now: this.now, ...known }, target, registration })
    }
    return { runners: now, premise, scales }
  }

  /** A wedged set must be as it was proposed: its runners are all that were proved. */
  #findOutgrown({ runners, subject }: ActCandidate): string | null {
    if (subject.kind !== 'AutoscalingRunnerSet') return null
    const proved = new Set(runners.map(({ identity }) => identity.uid))
    const more = [...this.runners.values()].find(({ uid, isDeleting }) => !isDeleting && !proved.has(uid))
    return more === undefined ? null : `its set has a runner that was not proposed: ${more.name}`
  }

  #set(): ActTarget {
    const resourceVersion = String(this.#setVersion)
    return { kind: 'EphemeralRunnerSet', namespace: NAMESPACE, name: 'lane-x7k2p', uid: 'set', resourceVersion }
  }

  #objectOf({ name, namespace, identity }: ProposedRunner, outgrown: string | null) {
    const runner = this.runners.get(name)
    const at = this.now
    const subject = { kind: 'EphemeralRunner', namespace, name }
    const snapshot: CandidateSnapshot = { ...EXAMPLE_CANDIDATE, subject, now: at, proposed: identity }
    if (runner === undefined) {
      const gone: Partial<CandidateSnapshot> = { object: readAt(at, none()) }
      return { snapshot, facts: gone, target: null, registration: null }
    }
    const shows = runner.hasJob && this.signs.has('record')
    const seenNow = { ...identity, uid: runner.uid, isDeleting: runner.isDeleting }
    const facts: Partial<CandidateSnapshot> = {
      object: readAt(at, seen(outgrown === null ? seenNow : { ...seenNow, outgrown })),
      record: readAt(at, seen({ job: shows ? 'build' : null, slot: null, mark: null })),
      createdAt: readAt(at, seen(runner.createdAt)),
    }
    const target = { namespace, name, uid: runner.uid, resourceVersion: String(runner.version) }
    const registration = { kind: 'organization', organization: 'acme' } as const
    return { snapshot, facts, target: { kind: 'EphemeralRunner', ...target } as const, registration }
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

  #shows(runner: WorldRunner, sign: Sign): boolean {
    return runner.hasJob && this.signs.has(sign)
  }

  #podOf(runner: WorldRunner): Partial<CandidateSnapshot> {
    const pod = { phase: runner.hasJob ? 'Running' : 'Failed', node: null, containers: [], jobPods: [] }
    return { pod: readAt(this.now, this.#shows(runner, 'worker') ? seen(pod) : none()) }
  }

  #githubOf(runner: WorldRunner): Partial<CandidateSnapshot> {
    const isKnown = this.isListed && runner.isRegistered
    const row = { id: runner.id, isOnline: false, isBusy: this.#shows(runner, 'busy') }
    return {
      github: readAt(this.now, isKnown ? seen(row) : none()),
      deregistration: readAt(this.now, isKnown ? blind('not-asked', 'only the act asks GitHub to remove it') : none()),
    }
  }

  #jobOf(runner: WorldRunner): Partial<CandidateSnapshot> {
    const job = this.#shows(runner, 'job') ? seen({ id: 1, status: 'in_progress' }) : none()
    return { githubJob: readAt(this.now, job) }
  }

  #processesOf(runner: WorldRunner): Partial<CandidateSnapshot> {
    const worker = this.#shows(runner, 'worker') ? ['2 1 5 Runner.Worker'] : []
    return { processes: readAt(this.now, seen(['1 0 10 Runner.Listener', ...worker])) }
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
    const isProved = runner.uid === uid && String(runner.version) === resourceVersion
    if (!isProved && !this.isBlunt) return { kind: 'changed', message: 'the object has been modified' }
    this.#lose(runner)
    return { kind: 'done' }
  }

  /** The worst that could be: every runner goes that the set has now, whatever it does. */
  scaleToZero({ resourceVersion }: ActTarget): RemovalOutcome {
    const isProved = resourceVersion === String(this.#setVersion)
    if (!isProved && !this.isBlunt) return { kind: 'changed', message: 'the object has been modified' }
    for (const runner of this.runners.values()) this.#lose(runner)
    return { kind: 'done' }
  }

  #lose(runner: WorldRunner): void {
    const { name, uid, hasJob, createdAt } = runner
    this.removed.push({ uid, hadJob: hasJob, hadEvidence: this.stored.has(name), ageMs: this.now - createdAt })
    this.runners.delete(name)
    this.#setVersion += 1
  }

  /** ARC trims: it removes a runner at GitHub, which refuses a busy one, and marks the object. */
  trim(name: string): void {
    const runner = this.runners.get(name)
    if (runner === undefined || runner.isDeleting || this.deregister(runner.id).kind === 'busy') return
    runner.isDeleting = true
    runner.version += 1
    this.#setVersion += 1
  }

  /** The object that ARC marked goes. */
  finishTrim(name: string): void {
    if (this.runners.get(name)?.isDeleting !== true) return
    this.runners.delete(name)
    this.#setVersion += 1
  }

  storeEvidence(names: readonly string[]): string | null {
    if (!this.canStoreEvidence) return null
    for (const name of names) this.stored.add(name)
    return `death of ${names.join(', ')}`
  }
}
