import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fetchEvidence, findStored } from '#/cli/api-client/stored-death.ts'
import type { Found } from '#/cli/api-client/stored-death.ts'
import { openServer } from '#/cli/api-client/ask-server.ts'
import type { Server } from '#/cli/api-client/ask-server.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { putAuditLog } from '#/cli/why/with-audit-log.ts'
import { BEFORE_ACT } from '#/core/ledger/evidence-uid.ts'
import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

export type StoreContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'> & {
  readonly flags: { readonly 'audit-log'?: string | undefined }
}

/** A recorded death. */
export type Recorded = {
  readonly death: Death
  readonly others: number
  /** The URL of the run, if one was given: then `others` are deaths of that run, otherwise of that name. */
  readonly run: string | null
  /** A live pod that has the name of the one that died. */
  readonly successor: { readonly uid: string; readonly createdAt: number | null } | null
  /** By the current rules; null when no evidence is kept and only the stored verdict is left. */
  readonly judgement: JudgedSubject | null
}

type Judge = (path: string) => Promise<readonly JudgedSubject[]>

/** For `--store`: the record, or a failure. */
export async function requireRecord(context: StoreContext, argument: string, judge: Judge): Promise<Recorded> {
  await using server = await openServer(context)
  const found = await findStored(server, argument, await readNamespaces(context))
  if (found.kind !== 'found') throw found.failure
  return judgeRecorded(context, argument, { server, found, judge })
}

/**
 * The record, in addition to the live answer; null when there is none or no server answers. Only a server that was
 * named explicitly causes a message when it does not answer.
 */
export async function findRecord(
  context: StoreContext,
  argument: string,
  { judge, isWanted }: { readonly judge: Judge; readonly isWanted: (death: Death, others: number) => boolean },
): Promise<Recorded | null> {
  try {
    await using server = await openServer(context)
    const found = await findStored(server, argument, await readNamespaces(context))
    if (found.kind !== 'found' || !isWanted(found.death, found.others)) return null
    return await judgeRecorded(context, argument, { server, found, judge })
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error
    if ((await context.config()).config.api.server !== null)
      context.terminal.notice(`Cannot read recorded deaths: ${error.message}`)
    return null
  }
}

async function readNamespaces({ config }: StoreContext): Promise<readonly string[] | null> {
  const { namespaces } = (await config()).config.kubernetes
  return namespaces.kind === 'named' ? namespaces.names : null
}

async function judgeRecorded(
  context: StoreContext,
  argument: string,
  {
    server,
    found: { death, others, live },
    judge,
  }: { readonly server: Server; readonly found: Extract<Found, { kind: 'found' }>; readonly judge: Judge },
): Promise<Recorded> {
  const run = isRun(argument) ? argument : null
  const successor = live === null ? null : { uid: live.uid, createdAt: null }
  const bytes = await fetchEvidence(server, death)
  if (typeof bytes === 'string') return { death, others, run, successor, judgement: null }
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-stored-'))
  try {
    const path = join(folder, 'bundle.tar.gz')
    await writeFile(path, bytes, { mode: 0o600 })
    const [judged = null] = await judge(await withAuditLog(context, death, path))
    return { death, others, run, successor, judgement: judged }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The stored bundle, or a copy of it with the given audit log. */
async function withAuditLog({ flags, clock, signal, terminal }: StoreContext, death: Death, stored: string) {
  const auditLog = flags['audit-log']
  if (auditLog === undefined) return stored
  const target = join(dirname(stored), 'audited')
  const refused = await putAuditLog(stored, target, { auditLog, death, now: clock.now(), signal })
  if (refused === null) return target
  terminal.notice(printable(`${auditLog} is not used: ${refused}.`))
  return stored
}

const PERCENT = 100

/** For stderr: where the answer comes from, and whether the stored verdict differs. */
export function sourceLines(
  { death, others, run, successor, judgement: judged }: Recorded,
  isJudging: boolean,
): readonly string[] {
  const { namespace, pod, recordedAt, cause, confidence, missed } = death
  const name = `${namespace}/${pod}`
  const seen = missed ? ' It was missed: nothing was watching when it ended.' : ''
  const what = death.kind === BEFORE_ACT ? `what was kept of ${name} before an act,` : `the death of ${name},`
  const lines = [`From the store: ${what} recorded ${new Date(recordedAt).toISOString()}.${seen}`]
  if (death.kind === BEFORE_ACT) return [...lines, death.sentence].map(printable)
  if (!isJudged(death)) lines.push(`${death.sentence} This answer is from the evidence that is stored so far.`)
  else if (isJudging && judged !== null && judged.verdict.cause !== cause) {
    const now = formatVerdict(judged.verdict.cause, judged.verdict.confidence)
    lines.push(`The stored verdict is ${formatVerdict(cause, confidence)}; the current rules give ${now}.`)
  }
  if (judged === null) lines.push('No evidence of it is kept: this is only the stored verdict.')
  if (successor !== null) lines.push(successorLine(death, successor))
  if (others > 0) {
    const [what, all] = run === null ? ['name', listCommand('--runner', pod)] : ['run', listCommand('--job', run)]
    lines.push(`${others} other deaths of that ${what} are recorded; see: ${all}`)
  }
  return lines.map(printable)
}

/** For commands that answer about the one that died. */
export function successorLine(
  { namespace, pod }: Pick<Death, 'namespace' | 'pod'>,
  { uid, createdAt }: NonNullable<Recorded['successor']>,
): string {
  const since = createdAt === null ? '' : `, created ${new Date(createdAt).toISOString()}`
  return `A live pod has the name ${namespace}/${pod} again (UID ${uid}${since}). For that one: signalbox why ${pod} -n ${namespace} --live`
}

/** The command that lists all of them. */
export function listCommand(flag: '--runner' | '--job', value: string): string {
  return `signalbox deaths --kind all --since 30d ${flag} ${value}`
}

/** The attempt of the given run; null if none is given. */
export function attemptIn(argument: string): number | null {
  const subject = parseSubjectArgument(argument)
  return subject.kind === 'run' ? subject.attempt : null
}

export function isRun(argument: string): boolean {
  return parseSubjectArgument(argument).kind === 'run'
}

function formatVerdict(cause: string, confidence: number): string {
  return `${cause} (${Math.round(confidence * PERCENT)} %)`
}

/** For commands that need evidence when only the row is stored. */
export function withoutEvidence({ death: { namespace, pod } }: Recorded): CommandFailure {
  return new CommandFailure(EXIT.blind, `no evidence is kept of the end of ${namespace}/${pod}`, [
    'a clean end is one row, and old evidence expires; see: signalbox why',
  ])
}
