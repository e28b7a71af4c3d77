import { randomUUID } from 'node:crypto'
import { openThisHost } from '#/adapters/hosts/this-host.ts'
import { makeBackoff } from '#/adapters/kubernetes/backoff.ts'
import { DEFAULT_TUNING } from '#/adapters/kubernetes/tuning.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import { PROTOCOL } from '#/protocol/version.ts'
import type { Gauges, PollAnswer } from '#/protocol/poll.ts'
import { answerQuestion } from './answer-question.ts'
import type { Sources } from './answer-question.ts'
import { createCgroupKeeper } from './cgroup-keeper.ts'
import { dial } from './dial.ts'
import type { DialOptions, Line, Polled } from './dial.ts'
import { createEndedPods } from './ended-pods.ts'
import { openJournal } from './journal-source.ts'
import { createLanes } from './lanes.ts'
import { createLogKeeper } from './log-keeper.ts'
import { readGauges } from './read-gauges.ts'
import { createRelease } from './release-memory.ts'
import { createRunnerProcesses } from './runner-processes.ts'
import { openSpool } from './spool.ts'

export type AgentOptions = Omit<DialOptions, 'clock'> & {
  readonly journal: {
    /** The path of journalctl. */
    readonly program: string
    readonly directory: string | null
    readonly socket: string
    readonly kmsg: string
  }
  readonly cgroupRoot: string
  readonly podLogs: string
  /** Where logs and counters of ended pods wait until the server has stored them; null: in memory. */
  readonly state: string | null
  readonly proc: string
  /** Null: it may not see processes. */
  readonly processes: { readonly redact: (text: string) => string } | null
  readonly clock: Clock
  readonly log: Log
}

const BACKOFF = { ...DEFAULT_TUNING, backoffFirstMs: 500, backoffMostMs: 15_000 }
const GAUGES_MS = 20_000
/** While pods end, so that the server knows how many are kept. */
const CHANGED_GAUGES_MS = 500

/** Polls the server for questions about this node and answers them, until the signal. */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, cgroupRoot } = options
  const cgroups = createCgroupKeeper(cgroupRoot, clock)
  const spool = await openSpool({ folder: options.state, clock, log })
  const pods = createEndedPods({ spool, cgroups, logs: () => logs, clock })
  const logs = createLogKeeper({ root: options.podLogs, clock, copy: pods.copy })
  const journal = await openJournal(options, signal)
  const host = openThisHost({ journal: { ...options.journal, namespace: null, maxBytes: 0 }, cgroupRoot })
  const allowed = options.processes === null ? null : { ...options.processes, proc: options.proc }
  const processes = createRunnerProcesses(allowed)
  const sources: Sources = { journal: journal.read, file: host.file, pods, processes }
  const line = dial(options)
  const fault = (error: unknown): void => log.error('answer failed', { why: String(error) })
  const lanes = createLanes({
    clock,
    answer: ({ asked }, limited) => answerQuestion(sources, asked, limited),
    send: async ({ id, asked }, answer) => {
      const why = await line.answer(id, answer, signal)
      if (why !== null) log.debug('answer rejected', { question: asked.kind, why })
    },
    rested: createRelease(),
    fault,
  })
  const background = [cgroups.run(signal), logs.run(signal), journal.run(signal)]
  const releases = createWorkQueue({ mostAtOnce: 1, mostWaiting: 1 }, fault)
  let released: string | null = null
  const take = ({ questions, watch, stored }: PollAnswer): void => {
    for (const question of questions) lanes.take(question, signal)
    if (watch !== null) {
      cgroups.keep(watch.pods)
      logs.keep(watch.pods.map(({ uid }) => uid))
    }
    if (stored === null) return
    // A slow disk must not hold up the next poll: the server would count this agent as gone.
    releases.push(async () => {
      await pods.stored(stored.uids)
      released = stored.version
    })
  }
  const gauges = async (): Promise<Gauges> => {
    await spool.expire()
    // What only memory has is not reported as kept.
    const { pods: endedPods, bytes: endedPodBytes } = spool.safe()
    return readGauges(options.proc, { copies: cgroups.copies(), heldLogs: logs.held(), endedPods, endedPodBytes })
  }
  await poll({ options, line, take, gauges, kept: () => spool.safe().pods, released: () => released }, signal)
  await Promise.all([...background, lanes.idle(), releases.idle()])
  await line.close()
}

type Polling = {
  readonly options: AgentOptions
  readonly line: Line
  readonly take: (answer: PollAnswer) => void
  readonly gauges: () => Promise<Gauges>
  /** Ended pods, as the gauges count them. */
  readonly kept: () => number
  /** The version of the list of stored pods that was acted on last. */
  readonly released: () => string | null
}

async function poll({ options, line, take, gauges, kept, released }: Polling, signal: AbortSignal): Promise<void> {
  const { clock, node } = options
  const session = randomUUID()
  const backoff = makeBackoff(clock, Math.random, BACKOFF)
  const notice = createNotice(options)
  let watch: string | null = null
  let reportedAt = -Infinity
  let reportedPods = 0
  while (!signal.aborted) {
    const dueMs = kept() === reportedPods ? GAUGES_MS : CHANGED_GAUGES_MS
    const report = clock.now() - reportedAt >= dueMs ? await gauges() : null
    const request = {
      protocol: PROTOCOL,
      node,
      session,
      watch,
      stored: released(),
      gauges: report,
      processes: options.processes !== null,
    } as const
    const polled = await line.poll(request, signal)
    if (signal.aborted) return
    notice(polled)
    if (polled.kind === 'failed') {
      await backoff.wait(polled.atLeastMs, signal)
      continue
    }
    backoff.reset()
    if (report !== null) {
      reportedAt = clock.now()
      reportedPods = report.endedPods
    }
    watch = polled.answer.watch?.version ?? watch
    take(polled.answer)
  }
}

/** Logs once when the server becomes unreachable and once when it is back. */
function createNotice({ log, server, node }: AgentOptions): (polled: Polled) => void {
  let why: string | null = ''
  return (polled) => {
    const now = polled.kind === 'failed' ? polled.why : null
    if (now === why) return
    why = now
    if (now === null) log.info('connected to the server', { server: server.origin, node })
    else log.warn('cannot reach the server', { server: server.origin, node, why: now })
  }
}
