import { QUEUES } from '#/core/recorder/lifecycle.ts'
import type { QueueName, StateIn } from '#/core/recorder/lifecycle.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import { after, handOver, perform, release } from './death-steps.ts'
import type { StepMeans, Work, WorkIn } from './death-steps.ts'
import type { EndedPod } from './ended-pod.ts'
import { reopenClean } from './save-death.ts'
import type { RecordedClean } from './save-death.ts'
import { createDeathTurns } from './death-turns.ts'
import type { RecorderSettings } from './settings.ts'

/** Takes each death through its states (`core/recorder/lifecycle.ts`): the state decides the queue. */
export type DeathQueue = {
  /** `mayBeKnown`: another process may have recorded it. */
  readonly take: (pod: EndedPod, mayBeKnown: boolean) => void
  /** It should have started by now. */
  readonly takeOverdue: (pod: EndedPod) => void
  /** It is no longer watched. */
  readonly forget: (uid: string) => void
  /** What was gathered and waits for its judgement. */
  readonly gatheredBytes: () => number
  /** Resolves when the queues are empty, or after the shutdown time limit. */
  readonly finish: () => Promise<void>
}

const FINISH_MS = 10_000
/** Clean ends wait a moment for their last lines while they hold a place. */
const MOST_RECORDED_AT_ONCE = 64

type Given = Omit<StepMeans, 'reopen'> & { readonly settings: RecorderSettings }
type Step = WorkIn<StateIn<'record' | 'save' | 'gather' | 'judge'>>

export function createDeathQueue(options: Given, signal: AbortSignal): DeathQueue {
  const { log, settings, clock, states, means } = options
  const reopen: StepMeans['reopen'] = (pod, clean) => void startAgain(options, pod, clean).then(enter)
  const given = { ...options, reopen }
  const recording = createWorkQueue({ mostAtOnce: MOST_RECORDED_AT_ONCE, mostWaiting: settings.mostWaiting }, (error) =>
    log.error('cannot record a death', { why: describe(error) }),
  )
  const turns = createDeathTurns(given, recording, signal)
  const underWay = new Set<Promise<void>>()
  const run = async (work: Step): Promise<void> => {
    try {
      const next = await perform(given, work, signal)
      if (next !== null) enqueue(next)
    } catch (error) {
      // When we stop, the next start resumes it from what is stored.
      if (!signal.aborted) retry(work, 'failed', describe(error))
    }
  }
  const start = (work: Step): Promise<void> => {
    if (isIn('gather', work)) return turns.gather(work, () => run(work))
    return isIn('judge', work) ? turns.judge(work, () => run(work)) : run(work)
  }
  const pushRecording = (work: Step): 'taken' | 'full' => {
    const place = Promise.withResolvers<void>()
    void means.ports.progress.recording(() => place.promise)
    const pushed = recording.push(() => {
      place.resolve()
      return run(work)
    })
    if (pushed === 'full') place.resolve()
    return pushed
  }
  const enqueue = (work: Work): void => {
    if (isIn('notify', work)) return handOver(given, work)
    if (isIn('record', work)) {
      if (pushRecording(work) === 'full') retry(work, 'too-many', 'the queue is full')
      return
    }
    const started = start(work).finally(() => underWay.delete(started))
    underWay.add(started)
  }
  const retry = (work: Work, kind: 'too-many' | 'failed', why: string): void => {
    const next = park(given, work, { kind, why })
    if (next !== null) void next.wait(signal).then((again) => (again === null ? undefined : enqueue(again)))
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
    gatheredBytes: turns.gatheredBytes,
    finish: async () => {
      await Promise.race([Promise.all([recording.idle(), ...underWay]), clock.sleep(FINISH_MS)])
    },
  }
}

/** Null where the death is no longer a clean end. */
async function startAgain({ states, means }: Given, pod: EndedPod, clean: RecordedClean): Promise<Work | null> {
  const reported = clean.row.verdict?.cause ?? ''
  const work = after(states, { kind: 'reopened', reported }, { at: 'saved', pod, known: null })
  if (work !== null) await reopenClean(means, clean)
  return work
}

const LINES = {
  'too-many': 'too many deaths at once: death will be retried',
  failed: 'cannot judge a death: will retry',
} as const

type Stop = { readonly kind: keyof typeof LINES; readonly why: string }
type NextAttempt = { readonly wait: (signal: AbortSignal) => Promise<Work | null> }

/** Logs it, and gives the next attempt. Null for a pod that cannot start: the next sweep asks again. */
function park(
  given: Pick<StepMeans, 'log' | 'states' | 'clock' | 'means' | 'followers' | 'events'>,
  work: Work,
  { kind, why }: Stop,
): NextAttempt | null {
  const { log, states, clock, means } = given
  const { uid, facts } = work.pod
  const phase = states.apply(uid, { kind })
  const fields = { pod: `${facts.namespace}/${facts.name}`, uid, state: work.at, why }
  if (phase?.state !== 'parked') {
    log.error('cannot explain a pod that does not start', fields)
    return null
  }
  const { resumes, retryMs } = phase
  log.error(LINES[kind], { ...fields, failures: resumes.failures, retrySeconds: retryMs / 1000 })
  // In a flood its log and events must not stay in memory. After a failure they are still to be stored.
  if (kind === 'too-many') release(given, work.pod)
  const waitingFor = { kind: 'retry', what: `its next attempt, because the last one failed: ${why}` } as const
  const wait: NextAttempt['wait'] = async (signal) => {
    await means.ports.progress.during(uid, waitingFor, () => clock.sleep(retryMs, signal))
    if (signal.aborted) return null
    states.apply(uid, { kind: 'retry' })
    return resumed(work)
  }
  return { wait }
}

/** What was gathered is stored, so that it is not kept in memory until the next attempt. */
function resumed(work: Work): Work {
  if (work.at === 'gathered') return { at: 'saved', pod: work.pod, known: work.gathered.row }
  return work.at === 'seen' ? { ...work, mayBeKnown: true } : work
}

function isIn<Q extends QueueName>(queue: Q, work: Work): work is WorkIn<StateIn<Q>> {
  return QUEUES[work.at] === queue
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
