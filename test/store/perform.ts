import { decideAssignment, toInvolvement } from '#/core/dispatch/assignment.ts'
import type { Happening } from '#/core/dispatch/assignment.ts'
import { chooseFairly, NO_RULES } from '#/core/dispatch/fairness.ts'
import type { Choose } from '#/core/dispatch/fairness.ts'
import { pickJobFacts } from '#/core/dispatch/job.ts'
import type { Store } from '#/ports/store/store.ts'
import { record } from '#/runtime/dispatch/record.ts'
import { aim } from './aim.ts'
import { LATEST_MS, REPOSITORIES, SLOT_UIDS } from './commands.ts'
import type { Command, Progress } from './commands.ts'

const CHOICES: Readonly<Record<Extract<Command, { kind: 'match' }>['choose'], Choose>> = {
  fair: chooseFairly(),
  capped: chooseFairly({ ...NO_RULES, caps: new Map(REPOSITORIES.map((repository) => [repository, 1])) }),
  // Pairs everything with everything: the store must put each job and each slot into at most one claim.
  careless: ({ jobs, slots }) => jobs.flatMap((job) => slots.map((slot) => ({ job: job.id, slot: slot.uid }))),
}

/** One store under test, with the happenings that were recorded in it. */
export class Performer {
  readonly #recorded: Happening[] = []
  readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  /** Everything that the store answered. */
  async perform(command: Command): Promise<unknown> {
    const { assignments, retention } = this.store
    switch (command.kind) {
      case 'happening':
        return await this.#record(await this.#aimed(command))
      case 'replay': {
        const earlier = this.#recorded.at(-command.back)
        return earlier === undefined ? null : await record(assignments, earlier)
      }
      case 'late-write': {
        const first = await aim(assignments, command.first, 0)
        const involved = await assignments.involved(toInvolvement(first))
        const answer = await this.#record(await aim(assignments, command.second, 0))
        return [involved, answer, await assignments.commit(decideAssignment(first, involved))]
      }
      case 'match':
        return await assignments.match(command, CHOICES[command.choose])
      case 'dispatch-all':
        return await this.#dispatchAll(command)
      case 'sweep': {
        const forever = { deliveriesMs: 1e12, deathsMs: 1e12, ledgerMs: 1e12, evidenceBytes: 1e12 }
        return await retention.sweep({ ...forever, finishedJobsMs: command.finishedJobsMs }, command.now)
      }
    }
  }

  async #record(happening: Happening): Promise<unknown> {
    this.#recorded.push(happening)
    return await record(this.store.assignments, happening)
  }

  async #dispatchAll({ named, progress }: Extract<Command, { kind: 'dispatch-all' }>): Promise<unknown> {
    const request = { scope: 'pool', waiting: SLOT_UIDS, jobLimit: 100, at: LATEST_MS }
    const claims = await this.store.assignments.match(request, chooseFairly())
    const answers: unknown[] = []
    for (const [index, { handle, job }] of claims.entries()) {
      const id = named ? null : 100 + SLOT_UIDS.indexOf(handle.uid)
      const runner = { id, name: `runner-${handle.uid}` }
      const minted = { kind: 'slot-minted', at: LATEST_MS, slot: handle, runner } as const
      const registered = { kind: 'slot-registered', at: LATEST_MS, runner } as const
      const upTo: Readonly<Record<Progress, readonly Happening[]>> = {
        claimed: [],
        minted: [minted],
        registered: [minted, registered],
        executing: [minted, { kind: 'job-started', at: LATEST_MS / 2, facts: pickJobFacts(job), runner }],
        ended: [minted, { kind: 'slot-ended', at: LATEST_MS, uid: handle.uid }],
        lost: [minted, { kind: 'slot-lost', at: LATEST_MS, uid: handle.uid }],
      }
      for (const next of upTo[progress[index] ?? 'claimed']) answers.push(await this.#record(next))
    }
    return [claims, answers]
  }

  async #aimed({ happening, pick, offset }: Extract<Command, { kind: 'happening' }>): Promise<Happening> {
    const aimed = pick === null ? happening : await aim(this.store.assignments, happening, pick)
    if (aimed.kind === 'slot-minted') return { ...aimed, slot: shifted(aimed.slot, offset) }
    if (aimed.kind === 'job-returned') return { ...aimed, job: shifted(aimed.job, offset) }
    return aimed
  }
}

function shifted<T extends { readonly generation: number }>(handle: T, offset: number): T {
  return { ...handle, generation: handle.generation + offset }
}
