import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { evidenceOf, findStored } from '#/cli/api-client/stored-death.ts'
import type { Found } from '#/cli/api-client/stored-death.ts'
import { openServer } from '#/cli/api-client/ask-server.ts'
import type { Server } from '#/cli/api-client/ask-server.ts'
import { AppFailure } from '#/app/failure.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { putAuditLog } from '#/cli/why/with-audit-log.ts'
import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'

export type StoreContext = Pick<CommandContext, 'config' | 'clock' | 'signal' | 'terminal'> & {
  readonly flags: { readonly 'audit-log'?: string | undefined }
}

/** What was recorded of a death. */
export type Recorded = {
  readonly death: Death
  readonly others: number
  /** The address of the run that was asked for: then the others are of that run, and else of that name. */
  readonly run: string | null
  /** By the present rules; null where no evidence is kept, so that only the stored verdict is left. */
  readonly judged: Investigation | null
}

type Judge = (path: string) => Promise<readonly Investigation[]>

/** For `--store`: what is recorded, or the failure that says why there is nothing. */
export async function insistOnStore(context: StoreContext, argument: string, judge: Judge): Promise<Recorded> {
  await using server = await openServer(context)
  const found = await findStored(server, argument, await namespacesOf(context))
  if (found.kind !== 'found') throw found.failure
  return judgeRecorded(context, argument, { server, found, judge })
}

/**
 * What is recorded beside what is live; null where nothing is, or nobody answers. A server that is only guessed need not
 * be there; one that was named is missed aloud.
 */
export async function lookInStore(
  context: StoreContext,
  argument: string,
  { judge, isWanted }: { readonly judge: Judge; readonly isWanted: (death: Death, others: number) => boolean },
): Promise<Recorded | null> {
  try {
    await using server = await openServer(context)
    const found = await findStored(server, argument, await namespacesOf(context))
    if (found.kind !== 'found' || !isWanted(found.death, found.others)) return null
    return await judgeRecorded(context, argument, { server, found, judge })
  } catch (error) {
    if (!(error instanceof AppFailure)) throw error
    if ((await context.config()).config.api.server !== null)
      context.terminal.notice(`What was recorded could not be asked: ${error.message}`)
    return null
  }
}

async function namespacesOf({ config }: StoreContext): Promise<readonly string[] | null> {
  const { namespaces } = (await config()).config.kubernetes
  return namespaces.kind === 'named' ? namespaces.names : null
}

async function judgeRecorded(
  context: StoreContext,
  argument: string,
  {
    server,
    found: { death, others },
    judge,
  }: { readonly server: Server; readonly found: Extract<Found, { kind: 'found' }>; readonly judge: Judge },
): Promise<Recorded> {
  const run = isRun(argument) ? argument : null
  const bytes = await evidenceOf(server, death)
  if (typeof bytes === 'string') return { death, others, run, judged: null }
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-stored-'))
  try {
    const path = join(folder, 'bundle.tar.gz')
    await writeFile(path, bytes, { mode: 0o600 })
    const [judged = null] = await judge(await withAuditLog(context, death, path))
    return { death, others, run, judged }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The bundle to judge: the stored one, or one beside it with the audit log that was brought. */
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

/** For stderr: where the answer comes from, and whether the verdict was another one. */
export function sourceLines({ death, others, run, judged }: Recorded, isJudging: boolean): readonly string[] {
  const { namespace, pod, recordedAt, cause, confidence, missed } = death
  const name = `${namespace}/${pod}`
  const seen = missed ? ' Nobody was looking when it went.' : ''
  const lines = [`From the store: the death of ${name}, recorded ${new Date(recordedAt).toISOString()}.${seen}`]
  if (!isJudged(death))
    lines.push('It has just happened: what its node, GitHub and the audit log know is still asked for.')
  else if (isJudging && judged !== null && judged.verdict.cause !== cause) {
    const now = tellVerdict(judged.verdict.cause, judged.verdict.confidence)
    lines.push(`The stored verdict is ${tellVerdict(cause, confidence)}; the present rules say ${now}.`)
  }
  if (judged === null) lines.push('No evidence of it is kept: this is the stored verdict alone.')
  if (others > 0) {
    const [what, all] = run === null ? ['name', allOf('--runner', pod)] : ['run', allOf('--job', run)]
    lines.push(`${others} other deaths of that ${what} are recorded; see: ${all}`)
  }
  return lines.map(printable)
}

/** The command that lists them. */
export function allOf(flag: '--runner' | '--job', value: string): string {
  return `signalbox deaths --kind all --since 30d ${flag} ${value}`
}

/** The attempt of the run that is asked for; null where none is named. */
export function attemptIn(argument: string): number | null {
  const subject = parseSubjectArgument(argument)
  return subject.kind === 'run' ? subject.attempt : null
}

export function isRun(argument: string): boolean {
  return parseSubjectArgument(argument).kind === 'run'
}

function tellVerdict(cause: string, confidence: number): string {
  return `${cause} (${Math.round(confidence * PERCENT)} %)`
}

/** What a bundle is asked for and a row cannot give. */
export function withoutEvidence({ death: { namespace, pod } }: Recorded): CommandFailure {
  return new CommandFailure(EXIT.blind, `no evidence is kept of the end of ${namespace}/${pod}`, [
    'a clean end is one row, and old evidence expires; see: signalbox why',
  ])
}
