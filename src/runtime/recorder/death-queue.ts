import { QUEUES } from '#/core/recorder/lifecycle.ts'
import type { QueueName, StateIn } from '#/core/recorder/lifecycle.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import { awaitAuditLog } from './await-audit-log.ts'
import { after, handOver, perform, release } from './death-steps.ts'
import type { StepMeans, Work, WorkIn } from './death-steps.ts'
import type { EndedPod } from './ended-pod.ts'
import type { RecorderSettings } from './settings.ts'

/** Takes each death through its states (`core/recorder/lifecycle.ts`): the state decides the queue. */
export type DeathQueue = {
  /** `mayBeKnown`: another process may have recorded it. */
  readonly take: (pod: EndedPod, mayBeKnown: boolean) => void
  /** It should have started by now. */
  readonly takeOverdue: (pod: EndedPod) => void
  /** It is no longer watched. */
  readonly forget: (uid: string) => void
  /** Resolves when the queues are empty, or after the shutdown time limit. */
  readonly finish: () => Promise<void>
}

const FINISH_MS = 10_000
const MOST_RECORDED_AT_ONCE = 16
const TRY_AGAIN_MS = 500

/** The log line for a death that is dropped in this state. */
const TOO_MANY: Partial<Readonly<Record<Work['at'], string>>> = {
  seen: 'too many deaths at once: death not recorded',
  recorded: 'too many deaths at once: death recorded but not judged',
}

type Given = StepMeans & { readonly settings: RecorderSettings }

export function createDeathQueue(given: Given, signal: AbortSignal): DeathQueue {
  const { log, settings, clock, states } = given
  const fault = (error: unknown): void =>
    log.error('cannot record or judge a death', { why: error instanceof Error ? error.message : String(error) })
  const recording = createWorkQueue({ mostAtOnce: MOST_RECORDED_AT_ONCE, mostWaiting: settings.mostWaiting }, fault)
  const judging = createWorkQueue(settings, fault)
  /** False where a death in this state waits for its place instead. */
  const park = ({ pod }: Work, kind: 'too-many' | 'failed'): boolean => {
    const phase = states.apply(pod.uid, { kind })
    if (phase?.state !== 'parked') return false
    // Its log and events must not stay in memory.
    release(given, pod)
    const line = phase.why === 'too-many' ? TOO_MANY[phase.stoppedIn] : undefined
    if (line !== undefined) log.error(line, { pod: podName(pod), uid: pod.uid })
    return true
  }
  const run = async (work: WorkIn<StateIn<'record' | 'judge'>>): Promise<void> => {
    try {
      const next = await perform(given, work, signal)
      if (next !== null) enqueue(next)
    } catch (error) {
      park(work, 'failed')
      throw error
    }
  }
  /** While it waits it holds no place in the queue. When we stop, the next start resumes it from what is stored. */
  const judgeLater = async (work: WorkIn<StateIn<'judge'>>): Promise<void> => {
    if (work.at === 'recorded') await clock.sleep(settings.settleMs, signal)
    if (work.at === 'awaiting-audit-log') await awaitAuditLog(given.means.ports, work.pod, signal)
    while (!signal.aborted && judging.push(() => run(work)) === 'full') {
      // An overdue pod is asked again by the next sweep.
      if (work.at === 'overdue' || park(work, 'too-many')) return
      await clock.sleep(TRY_AGAIN_MS, signal)
    }
  }
  const enqueue = (work: Work): void => {
    if (isIn('notify', work)) handOver(given, work)
    else if (isIn('judge', work)) void judgeLater(work)
    else if (recording.push(() => run(work)) === 'full') park(work, 'too-many')
  }
  const enter = (work: Work | null): void => {
    if (work !== null) enqueue(work)
  }
  return {
    take: (pod, mayBeKnown) => enter(after(states, { kind: 'ended' }, { at: 'seen', pod, mayBeKnown })),
    takeOverdue: (pod) => {
      const overdue = { ...pod, isPending: true }
      enter(after(states, { kind: 'overdue', at: clock.now() }, { at: 'overdue', pod: overdue }))
    },
    forget: (uid) => void states.apply(uid, { kind: 'unwatched' }),
    finish: async () => {
      await Promise.race([Promise.all([recording.idle(), judging.idle()]), clock.sleep(FINISH_MS)])
    },
  }
}

function isIn<Q extends QueueName>(queue: Q, work: Work): work is WorkIn<StateIn<Q>> {
  return QUEUES[work.at] === queue
}

function podName({ facts: { namespace, name } }: EndedPod): string {
  return `${namespace}/${name}`
}
