import { stat } from 'node:fs/promises'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { liveFlags } from '#/cli/frame/live-flags.ts'
import type { LiveOrder } from '#/cli/collect/live-evidence.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import { BYTES_FORM, parseBytes } from '#/core/basics/bytes.ts'
import { MOMENT_FORM, parseMoment } from '#/core/basics/moment.ts'
import { SUBJECT_FORM, parseSubjectArgument } from '#/core/evidence/subject-argument.ts'
import type { SubjectArgument } from '#/core/evidence/subject-argument.ts'
import { refuseLastSeen } from '#/runtime/collect/lists/last-seen.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { FleetWish, LastSeen, WindowWish } from '#/runtime/collect/request/request.ts'

export type LiveContext = Pick<CommandContext<typeof liveFlags>, 'flags' | 'clock'>
type Flags = LiveContext['flags']

const LARGEST_LOG_BYTES = 64 * 1024 * 1024
const LARGEST_POD_BYTES = 16 * 1024 * 1024

/** What the command line asks for. Throws a `CommandFailure` if it is wrong. */
export async function readOrder({ flags, clock }: LiveContext, subject: string | undefined): Promise<LiveOrder> {
  return {
    subject: subject === undefined ? null : readSubject(subject),
    window: readWindow(flags, clock.now()),
    logBytes: readLogBytes(flags['log-bytes']),
    repositories: flags.repo.map(readRepository),
    auditLog: flags['audit-log'] ?? null,
    lastSeen: flags['last-seen'] === undefined ? null : await readLastSeen(flags['last-seen']),
    fleet: WHOLE_FLEET,
    thisNode: readThisNode(flags),
  }
}

/** The whole fleet, limited to the wanted sources. */
export function fleetOrder(
  flags: Pick<Flags, 'repo' | 'log-bytes'> & Partial<Pick<Flags, 'this-node'>>,
  fleet: FleetWish,
): LiveOrder {
  return {
    subject: null,
    window: { since: null, until: null },
    logBytes: readLogBytes(flags['log-bytes']),
    repositories: flags.repo.map(readRepository),
    auditLog: null,
    lastSeen: null,
    fleet,
    thisNode: readThisNode({ ...flags, 'journal-directory': undefined, 'journal-namespace': undefined }),
  }
}

function readSubject(text: string): SubjectArgument {
  const subject = parseSubjectArgument(text)
  if (subject.kind !== 'unreadable') return subject
  throw new CommandFailure(EXIT.usage, `SUBJECT: ${subject.why}`, [`use ${SUBJECT_FORM}`])
}

function readWindow(flags: Flags, now: number): WindowWish {
  const [since, until] = (['since', 'until'] as const).map((name) => {
    const text = flags[name]
    if (text === undefined) return null
    const at = parseMoment(text, now)
    if (at === null) throw new CommandFailure(EXIT.usage, `--${name}: ${text} is not a time`, [`use ${MOMENT_FORM}`])
    return at
  })
  if (typeof since === 'number' && since >= (until ?? now)) {
    throw new CommandFailure(EXIT.usage, '--since must be before --until', ['use an earlier --since'])
  }
  return { since: since ?? null, until: until ?? null }
}

function readLogBytes(text: string): number {
  const bytes = parseBytes(text)
  if (bytes !== null && bytes > 0 && bytes <= LARGEST_LOG_BYTES) return bytes
  throw new CommandFailure(EXIT.usage, `--log-bytes: ${text} is not a size between 1 and 64MiB`, [`use ${BYTES_FORM}`])
}

function readRepository(text: string): string {
  if (/^[\w.-]+\/[\w.-]+$/.test(text)) return text
  throw new CommandFailure(EXIT.usage, `--repo: ${text} is not a repository`, ['use OWNER/NAME'])
}

async function readLastSeen(path: string): Promise<LastSeen> {
  const read = await readSmallFile(path, LARGEST_POD_BYTES)
  const fail = (why: string): never => {
    throw new CommandFailure(EXIT.usage, `--last-seen: ${path}: ${why}`, [
      'use the output of kubectl get pod NAME -o json',
    ])
  }
  if (read.kind !== 'read') return fail(read.kind === 'absent' ? 'no such file' : read.why)
  const reading = parseJson(read.text)
  if (reading.kind === 'malformed') return fail(reading.why)
  const refused = refuseLastSeen(reading.value)
  if (refused !== null || !isJsonObject(reading.value)) return fail(refused ?? 'not a JSON object')
  return { pod: reading.value, at: (await stat(path)).mtimeMs }
}

function readThisNode(
  flags: Partial<Pick<Flags, 'this-node' | 'journal-directory' | 'journal-namespace'>>,
): LiveOrder['thisNode'] {
  const name = flags['this-node']
  const [directory, namespace] = [flags['journal-directory'] ?? null, flags['journal-namespace'] ?? null]
  if (name === undefined) {
    if (directory === null && namespace === null) return null
    throw new CommandFailure(EXIT.usage, '--journal-directory and --journal-namespace require --this-node', [
      'add --this-node NAME',
    ])
  }
  if (/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) return { name, directory, namespace }
  throw new CommandFailure(EXIT.usage, `--this-node: ${name} is not a valid node name`, ['see: kubectl get nodes'])
}
