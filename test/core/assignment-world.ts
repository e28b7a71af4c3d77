import { decideAssignment, decideClaim, toInvolvement } from '#/core/dispatch/assignment.ts'
import type { Changes, Happening, Involved } from '#/core/dispatch/assignment.ts'
import type { Job, JobFacts } from '#/core/dispatch/job.ts'
import { intendedJob, isLive, slotRunner } from '#/core/dispatch/slot.ts'
import type { Slot, SlotFacts } from '#/core/dispatch/slot.ts'
import { isSameRunner } from '#/core/dispatch/runner.ts'
import type { Runner } from '#/core/dispatch/runner.ts'

/** A minimal store of two maps, so that properties can run thousands of histories through the real decisions. */
export class AssignmentWorld {
  readonly jobs = new Map<number, Job>()
  readonly slots = new Map<string, Slot>()

  apply(happening: Happening): Changes {
    return this.write(decideAssignment(happening, this.involved(happening)))
  }

  claim(jobId: number, uid: string, at: number): Changes {
    const job = this.jobs.get(jobId)
    const slot = this.slots.get(uid)
    return this.write(job && slot ? decideClaim(job, slot, at) : { jobs: [], slots: [] })
  }

  snapshot(): string {
    return JSON.stringify([[...this.jobs], [...this.slots]])
  }

  private write(changes: Changes): Changes {
    for (const { after } of changes.jobs) this.jobs.set(after.id, after)
    for (const { after } of changes.slots) this.slots.set(after.uid, after)
    return changes
  }

  private involved(happening: Happening): Involved {
    const key = toInvolvement(happening)
    const slot = (key.slot !== null ? this.slots.get(key.slot) : this.byRunner(key.runner)) ?? null
    const job = (key.job !== null ? this.jobs.get(key.job) : undefined) ?? null
    const intended = slot === null ? null : intendedJob(slot)
    return {
      job,
      slot,
      meantForJob: [...this.slots.values()].find((other) => this.isMeantFor(other, key.job, slot)) ?? null,
      meantForSlot: intended === null || intended === key.job ? null : (this.jobs.get(intended) ?? null),
    }
  }

  private isMeantFor(other: Slot, job: number | null, slot: Slot | null): boolean {
    return job !== null && other.uid !== slot?.uid && isLive(other) && intendedJob(other) === job
  }

  private byRunner(runner: Runner | null): Slot | undefined {
    if (runner === null) return undefined
    const named = [...this.slots.values()].filter((slot) => {
      const own = slotRunner(slot)
      return own !== null && isSameRunner(own, runner)
    })
    return named.find((slot) => isLive(slot)) ?? named[0]
  }
}

export function jobFacts(id: number, overrides: Partial<JobFacts> = {}): JobFacts {
  return {
    id,
    runId: 1000 + id,
    runAttempt: 1,
    repository: 'acme/app',
    workflow: 'ci',
    name: `build ${id}`,
    labels: ['linux'],
    scope: 'linux',
    queuedAt: 0,
    ...overrides,
  }
}

export function slotFacts(uid: string, overrides: Partial<SlotFacts> = {}): SlotFacts {
  return { uid, namespace: 'runners', pod: `pod-${uid}`, scope: 'linux', node: 'n1', appearedAt: 0, ...overrides }
}
