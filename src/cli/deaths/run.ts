import { CAUSES } from '#/causes/index.ts'
import { openServer, readPages, answerBody } from '#/cli/api-client/ask-server.ts'
import type { Question, Server } from '#/cli/api-client/ask-server.ts'
import { readLimit, readMoment } from '#/cli/api-client/list-flags.ts'
import { isOfRun } from '#/cli/api-client/stored-death.ts'
import { narrowTable, wideTable } from './deaths-table.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { deathsFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Table } from '#/cli/output/table.ts'
import { successorLine } from '#/cli/why/from-store.ts'
import type { PresentPod } from '#/ports/store/live-pods.ts'
import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { countDeaths } from '#/core/recorder/group-deaths.ts'
import type { DeathGroup, Grouping } from '#/core/recorder/group-deaths.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'
import { listAt } from '#/core/basics/fields.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import { runIn } from '#/core/evidence/subject-run.ts'

type Context = CommandContext<typeof deathsFlags>

const WATCH_MS = 1000
const MOST_REMEMBERED = 100_000
/** How many polls, and how many pages per poll, are searched for deaths that are listed out of order. */
const REACH_ROUNDS = 60
const MOST_SEARCHED = 20
const PERCENT = 100

export async function run(context: Context): Promise<ExitCode> {
  const { flags, terminal } = context
  refuseUnknownCause(flags.cause)
  const question: Question = { path: '/v1/deaths', query: toQuery(context) }
  const most = readLimit(flags.limit)
  await using server = await openServer(context)
  if (flags.by !== undefined) return summarise(context, server, question)
  const begunAt = flags.watch ? await timeAt(server) : 0
  const deaths: Death[] = []
  const live = new Map<string, PresentPod>()
  const meet = (page: unknown): void => {
    for (const one of listAt(page, 'live') as readonly PresentPod[]) live.set(one.uid, one)
  }
  for await (const death of wanted(context, { server, question, meet })) {
    deaths.push(death)
    if (deaths.length >= most) break
  }
  if (flags.watch) return watch(context, { server, question, known: deaths, begunAt })
  // A document is not cut to the width of a terminal.
  const isWide = flags.wide || flags.output === 'markdown'
  const table = isWide ? wideTable(deaths) : narrowTable(deaths, context.clock.now())
  const sections = [deaths.length === 0 ? NOTHING : { table }]
  await printOutput(terminal, flags.output, { data: { deaths, live: [...live.values()] }, sections })
  const open = countOpen(deaths)
  if (open !== null)
    terminal.notice(`judging ${open.judged} of ${open.all} deaths done; what the others wait for: --wide`)
  for (const pod of live.values()) terminal.notice(printable(successorLine(pod, { uid: pod.uid, createdAt: null })))
  return EXIT.ok
}

/** Of the deaths since the first one that is not judged yet: of a burst, that is how far it has come. */
function countOpen(deaths: readonly Death[]): { readonly judged: number; readonly all: number } | null {
  const since = Math.min(...deaths.filter((death) => !isJudged(death)).map(({ recordedAt }) => recordedAt))
  const burst = deaths.filter(({ recordedAt }) => recordedAt >= since)
  return burst.length === 0 ? null : { judged: burst.filter(isJudged).length, all: burst.length }
}

const NOTHING = { text: 'No deaths in that time.' }

function toQuery({ flags, clock }: Context): NonNullable<Question['query']> {
  const { cause, node, pool, repository, until } = flags
  const now = clock.now()
  const kind = flags.kind === 'all' ? undefined : flags.kind
  const name = flags.runner === undefined ? undefined : podName(flags.runner)
  const asked = flags.job === undefined ? null : parseJob(flags.job)
  const since = String(readMoment('since', flags.since, now))
  const before = until === undefined ? undefined : String(readMoment('until', until, now))
  const where = { since, until: before, cause, kind, node, pool, name }
  if (asked === null || asked.run === null) return { ...where, repository, job: asked?.id?.toString() }
  return { ...where, repository: repository ?? asked.run.repository }
}

/** A list that is empty because of a typo looks like good news. */
function refuseUnknownCause(cause: string | undefined): void {
  const known = ['unknown', ...CAUSES.map(({ id }) => id)]
  if (cause === undefined || known.includes(cause)) return
  const meant = didYouMean(cause, known)
  throw new CommandFailure(EXIT.usage, printable(`--cause: unknown cause ${cause}`), [
    meant.length === 0 ? 'list all: signalbox explain' : `did you mean ${meant.join(' or ')}?`,
  ])
}

/** `namespace/pod` is how the list prints it. */
function podName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

type AskedJob = { readonly id: number | null; readonly run: ReturnType<typeof runIn> }

/** When only ARC's record named the job, the run is stored but not the job id; a URL gives both. */
function parseJob(text: string): AskedJob {
  const subject = parseSubjectArgument(text)
  if (subject.kind === 'job') return { id: subject.id, run: runIn(text) }
  if (subject.kind === 'run') return { id: null, run: runIn(text) }
  throw new CommandFailure(EXIT.usage, `--job: ${text} is not a job`, ['use its id, its URL, or the URL of its run'])
}

function isOfJob(death: Death, { id, run }: AskedJob): boolean {
  const own = death.job?.id ?? null
  if (id !== null && own !== null) return own === id
  return run !== null && isOfRun(death, run)
}

type Listing = {
  readonly server: Server
  readonly question: Question
  /** Called with each page. */
  readonly meet?: (page: unknown) => void
}

/** Most rows are clean ends: they are skipped unless asked for. */
async function* wanted({ flags }: Context, { server, question, meet }: Listing): AsyncGenerator<Death> {
  for await (const page of readPages(server, question)) {
    meet?.(page)
    yield* (listAt(page, 'deaths') as readonly Death[]).filter((death) => isWanted(death, flags))
  }
}

function isWanted(death: Death, { kind, cause, job }: Context['flags']): boolean {
  if (job !== undefined && !isOfJob(death, parseJob(job))) return false
  return kind !== undefined || cause !== undefined || death.kind !== 'not-a-death'
}

async function summarise(context: Context, server: Server, question: Question): Promise<ExitCode> {
  const { by = 'cause', output } = context.flags
  const counting = countDeaths(by as Grouping)
  for await (const death of wanted(context, { server, question })) counting.add(death)
  const groups = counting.groups()
  const sections = [groups.length === 0 ? NOTHING : { table: summaryTable(by, groups) }]
  await printOutput(context.terminal, output, { data: { by, groups }, sections })
  return EXIT.ok
}

function summaryTable(by: string, groups: readonly DeathGroup[]): Table {
  return {
    columns: [by, 'deaths', 'share', 'last'],
    rows: groups.map(({ name, count, share, lastDiedAt }) => [
      printable(name ?? (by === 'actor' ? 'unknown' : '-')),
      String(count),
      `${Math.round(share * PERCENT)} %`,
      new Date(lastDiedAt).toISOString(),
    ]),
  }
}

/** The server's clock, which also dates the deaths. */
async function timeAt(server: Server): Promise<number> {
  const reply = await server.ask({ path: '/v1/version' })
  answerBody(server, reply)
  return reply.kind === 'answered' ? (reply.answeredAt ?? 0) : 0
}

type Watching = {
  readonly server: Server
  readonly question: Question
  readonly known: readonly Death[]
  readonly begunAt: number
}

/** Prints each death once, when it is judged. Retries when the server is unavailable. */
async function watch(context: Context, { server, question, known, begunAt }: Watching): Promise<ExitCode> {
  const { terminal, clock, signal, flags } = context
  const passed = new Set<string>()
  const print = (deaths: readonly Death[]): void => {
    for (const death of deaths.toReversed()) {
      if (!isJudged(death)) continue
      remember(passed, death.uid)
      if (isWanted(death, flags)) terminal.data(printed(death, flags))
    }
  }
  print(known)
  const listed = new Set(known.map(({ uid }) => uid))
  // Older deaths that are not listed were excluded by the user's flags.
  const isNew = ({ uid, recordedAt }: Death): boolean => !passed.has(uid) && (listed.has(uid) || recordedAt >= begunAt)
  const reach = createReach()
  let isAway = false
  while (!signal.aborted) {
    await clock.sleep(WATCH_MS, signal)
    if (signal.aborted) break
    try {
      const found = await latest(server, question, { isNew, backTo: reach.backTo() })
      print(found)
      reach.found(found.filter(isJudged))
      isAway = false
    } catch (error) {
      if (signal.aborted) break
      if (!(error instanceof CommandFailure)) throw error
      // Otherwise an outage would look like a time without deaths.
      if (!isAway) terminal.notice(printable(`${error.message}; will retry`))
      isAway = true
    }
  }
  return EXIT.ok
}

/** Bounded, for a watch that runs for weeks. */
function remember(passed: Set<string>, uid: string): void {
  passed.add(uid)
  const [first] = passed
  if (passed.size > MOST_REMEMBERED && first !== undefined) passed.delete(first)
}

/** The latest first, back to the last new one. */
async function latest(
  server: Server,
  question: Question,
  { isNew, backTo }: { readonly isNew: (death: Death) => boolean; readonly backTo: number },
): Promise<readonly Death[]> {
  const found: Death[] = []
  let pages = 0
  for await (const page of readPages(server, question)) {
    const deaths = listAt(page, 'deaths') as readonly Death[]
    found.push(...deaths.filter(isNew))
    pages += 1
    const last = deaths.at(-1)
    if (last === undefined || (!isNew(last) && (last.diedAt < backTo || pages >= MOST_SEARCHED))) break
  }
  return found
}

/**
 * Deaths of the same second are recorded one by one and listed in another order, so new ones may appear between those
 * already printed. Recently active times are searched again.
 */
function createReach() {
  let [before, lately, rounds] = [Infinity, Infinity, 0]
  return {
    backTo: (): number => Math.min(before, lately),
    found: (deaths: readonly Death[]): void => {
      rounds += 1
      if (rounds % REACH_ROUNDS === 0) [before, lately] = [lately, Infinity]
      lately = deaths.reduce((first, { diedAt }) => Math.min(first, diedAt), lately)
    },
  }
}

function printed(death: Death, { output }: Context['flags']): string {
  return output === 'json' ? `${JSON.stringify(death)}\n` : `${formatDeath(death)}\n`
}

function formatDeath({ diedAt, namespace, pod, node, cause, confidence, sentence }: Death): string {
  const where = node === null ? '' : ` on ${node}`
  const certain = `${cause}, ${Math.round(confidence * PERCENT)} %`
  return printable(`${new Date(diedAt).toISOString()}  ${namespace}/${pod}${where}  ${certain}  ${sentence}`)
}
