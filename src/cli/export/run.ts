import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { openServer } from '#/cli/api-client/ask-server.ts'
import { fetchEvidence, findStored } from '#/cli/api-client/stored-death.ts'
import { findOccupant } from '#/cli/collect/target.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { exportFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { printable } from '#/cli/output/printable.ts'
import { successorLine } from '#/cli/why/from-store.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'

export async function run(context: CommandContext<typeof exportFlags>): Promise<ExitCode> {
  const { flags, terminal } = context
  const [name = ''] = context.args
  const path = checkTarget(context)
  await using server = await openServer(context)
  const found = await findStored(server, name, null)
  if (found.kind !== 'found') throw found.failure
  const { death, others, live } = found
  const bytes = await fetchEvidence(server, death)
  if (typeof bytes === 'string') throw new CommandFailure(EXIT.blind, bytes)
  if (path === '-') terminal.bytes?.(bytes)
  else await write(path, bytes, flags.force)
  const more = others === 0 ? '' : `; the latest of ${others + 1} deaths of that name`
  const [place, read] = path === '-' ? ['stdout', 'FILE.tar.gz'] : [path, path]
  terminal.notice(`${place}: ${bytes.length} bytes${more}; read it with signalbox why --bundle ${read}`)
  if (live !== null) terminal.notice(printable(successorLine(death, { uid: live.uid, createdAt: null })))
  return EXIT.ok
}

function checkTarget({ flags: { output: path }, terminal }: CommandContext<typeof exportFlags>): string {
  if (path === undefined || !/^-$|\.(?:tar\.gz|tgz)$/.test(path)) {
    throw new CommandFailure(EXIT.usage, 'the name of the bundle must end in .tar.gz', [
      'use -o FILE.tar.gz, or -o - for stdout',
    ])
  }
  if (path === '-' && terminal.bytes === null) {
    throw new CommandFailure(EXIT.usage, 'refusing to write an archive to a terminal', [
      'redirect it to a file: -o - > death.tar.gz',
    ])
  }
  return path
}

/** Written to a temporary name and renamed, so that a partial file never appears. */
async function write(path: string, bytes: Uint8Array, force: boolean): Promise<void> {
  if (!force && (await findOccupant(path)) !== 'nothing') {
    throw new CommandFailure(EXIT.usage, `${path} already exists`, ['use --force to replace it'])
  }
  const temporary = `${path}.partial-${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporary, bytes, { mode: 0o600, flag: 'wx' })
    await rename(temporary, path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${code ?? String(error)}`)
  } finally {
    await rm(temporary, { force: true })
  }
}
