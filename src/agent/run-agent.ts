import { randomUUID } from 'node:crypto'
import { openThisHost } from '#/adapters/hosts/this-host.ts'
import { makeBackoff } from '#/adapters/kubernetes/backoff.ts'
import { DEFAULT_TUNING } from '#/adapters/kubernetes/tuning.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { createWorkQueue } from '#/runtime/queue/work-queue.ts'
import { PROTOCOL } from '#/protocol/version.ts'
import type { Gauges, PollAnswer, Question } from '#/protocol/poll.ts'
import { answerQuestion } from './answer-question.ts'
import type { Sources } from './answer-question.ts'
import { createCgroupKeeper } from './cgroup-keeper.ts'
import { dial } from './dial.ts'
import type { DialOptions, Line, Polled } from './dial.ts'
import { openJournal } from './journal-source.ts'
import { createLogKeeper } from './log-keeper.ts'
import { readGauges } from './read-gauges.ts'

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
  readonly proc: string
  readonly clock: Clock
  readonly log: Log
}

const BACKOFF = { ...DEFAULT_TUNING, backoffFirstMs: 500, backoffMostMs: 15_000 }
const GAUGES_MS = 20_000
const AT_ONCE = 4
const MOST_WAITING = 200

/** Polls the server for questions about this node and answers them, until the signal. */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, cgroupRoot } = options
  const cgroups = createCgroupKeeper(cgroupRoot, clock)
  const logs = createLogKeeper({ root: options.podLogs, clock })
  const journal = await openJournal(options, signal)
  const host = openThisHost({ journal: { ...options.journal, namespace: null, maxBytes: 0 }, cgroupRoot })
  const sources: Sources = { journal: journal.read, file: host.file, cgroups, logs }
  const line = dial(options)
  const fault = (error: unknown): void => log.error('answer failed', { why: String(error) })
  const replies = createWorkQueue({ mostAtOnce: AT_ONCE, mostWaiting: MOST_WAITING }, fault)
  const background = [cgroups.run(signal), logs.run(signal), journal.run(signal)]
  const take = ({ questions, watch }: PollAnswer): void => {
    if (watch !== null) {
      cgroups.keep(watch.pods)
      logs.keep(watch.pods.map(({ uid }) => uid))
    }
    for (const question of questions) replies.push(() => reply({ sources, line, log }, question, signal))
  }
  const gauges = (): Promise<Gauges> => readGauges(options.proc, { copies: cgroups.copies(), heldLogs: logs.held() })
  await poll({ options, line, take, gauges }, signal)
  await Promise.all([...background, replies.idle()])
  await line.close()
}

type Polling = {
  readonly options: AgentOptions
  readonly line: Line
  readonly take: (answer: PollAnswer) => void
  readonly gauges: () => Promise<Gauges>
}

async function poll({ options, line, take, gauges }: Polling, signal: AbortSignal): Promise<void> {
  const { clock, node } = options
  const session = randomUUID()
  const backoff = makeBackoff(clock, Math.random, BACKOFF)
  const notice = createNotice(options)
  let watch: string | null = null
  let reportedAt = -Infinity
  while (!signal.aborted) {
    const isDue = clock.now() - reportedAt >= GAUGES_MS
    const report = isDue ? await gauges() : null
    const polled = await line.poll({ protocol: PROTOCOL, node, session, watch, gauges: report }, signal)
    if (signal.aborted) return
    notice(polled)
    if (polled.kind === 'failed') {
      await backoff.wait(polled.atLeastMs, signal)
      continue
    }
    backoff.reset()
    if (isDue) reportedAt = clock.now()
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

type Replying = { readonly sources: Sources; readonly line: Line; readonly log: Log }

async function reply({ sources, line, log }: Replying, { id, withinMs, asked }: Question, signal: AbortSignal) {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  const answer = await answerQuestion(sources, asked, limited)
  const why = await line.answer(id, answer, signal)
  if (why !== null) log.debug('answer rejected', { question: asked.kind, why })
}
