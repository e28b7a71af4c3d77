import type { StateIn } from '#/core/recorder/lifecycle.ts'
import { createLanes } from '#/runtime/queue/lanes.ts'
import { createMemoryGate } from '#/runtime/queue/memory-gate.ts'
import type { WorkQueue } from '#/runtime/queue/work-queue.ts'
import { awaitAuditLog } from './await-audit-log.ts'
import { countLeft, waitWhile } from './counted-wait.ts'
import type { StepMeans, WorkIn } from './death-steps.ts'
import { countBytes } from './held-evidence.ts'
import type { RecorderSettings } from './settings.ts'

/** When the work of a death begins: a slow node holds up no other, and what can be lost goes before what cannot. */
export type DeathTurns = {
  readonly gather: (work: WorkIn<StateIn<'gather'>>, run: () => Promise<void>) => Promise<void>
  readonly judge: (work: WorkIn<'gathered'>, run: () => Promise<void>) => Promise<void>
  /** What was gathered and waits for its judgement. */
  readonly gatheredBytes: () => number
}

/** Of one node: a whole node at once, so that one read of its journal serves all. */
const MOST_GATHERED_AT_ONCE = 128
const LOOK_AGAIN_MS = 25
/** So long a judgement lets deaths that are not recorded yet go first. */
const RECORD_FIRST_MS = 2000

type Given = Pick<StepMeans, 'means' | 'clock'> & { readonly settings: RecorderSettings }

export function createDeathTurns(
  { means, clock, settings }: Given,
  recording: Pick<WorkQueue, 'waiting'>,
  signal: AbortSignal,
): DeathTurns {
  const { progress } = means.ports
  const gathering = createLanes(MOST_GATHERED_AT_ONCE)
  const judging = createLanes(settings.mostAtOnce)
  const memory = createMemoryGate(settings.mostGatheredBytes, clock)
  /** What is not recorded yet can be lost; a verdict cannot. */
  const untilRecorded = async (): Promise<void> => {
    const wait = { clock, everyMs: LOOK_AGAIN_MS, mostMs: RECORD_FIRST_MS, signal }
    await waitWhile(() => recording.waiting() > 0, wait)
  }
  return {
    gather: async (work, run) => {
      const { uid, foundAt, facts } = work.pod
      // While the end settles, or the audit log is awaited, it holds no place.
      if (work.at === 'saved') await clock.sleep(countLeft(settings.settleMs, foundAt, clock), signal)
      if (work.at === 'awaiting-audit-log') await awaitAuditLog(means.ports, work.pod, signal)
      const begun = Promise.withResolvers<void>()
      const done = gathering.run(facts.node ?? '', async () => {
        await memory.room(signal)
        begun.resolve()
        if (!signal.aborted) await run()
      })
      const waitingFor = { kind: 'place', what: 'a place in the queue' } as const
      await progress.during(uid, waitingFor, () => Promise.race([begun.promise, done]))
      await done
    },
    judge: (work, run) =>
      memory.hold(countBytes(work.gathered.collected), () =>
        progress.during(work.pod.uid, { kind: 'judgement', what: 'its judgement' }, async () => {
          await judging.run('', async () => {
            await untilRecorded()
            if (!signal.aborted) await run()
          })
        }),
      ),
    gatheredBytes: memory.bytes,
  }
}
