import { once } from 'node:events'
import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A journald and a journalctl for machines that have none: what is written to the socket goes into a file, and the file is printed. */
export type ImitatedJournal = AsyncDisposable & {
  readonly socket: string
  /** Replaces journalctl. */
  readonly program: string
  readonly write: (at: number, message: string, fields?: object) => Promise<void>
  readonly forget: () => Promise<void>
  /** How often a window was read. */
  readonly reads: () => Promise<number>
}

export type JournalPlan = {
  /** It accepts what is written but does not print it. */
  readonly isStuck?: boolean
}

export async function imitateJournal(folder: string, { isStuck = false }: JournalPlan = {}): Promise<ImitatedJournal> {
  const file = join(folder, 'journal.jsonl')
  const program = join(folder, 'journalctl')
  await writeFile(file, '')
  const script = `#!/bin/sh\ncase "$*" in *SYSLOG_IDENTIFIER*) grep signalbox-agent '${file}' || true;; *--reverse*) echo >> '${file}.reads'; tac '${file}';; *) cat '${file}';; esac\n`
  await writeFile(program, script)
  await chmod(program, 0o755)
  const write = async (at: number, message: string, fields: object = {}): Promise<void> => {
    const line = { __REALTIME_TIMESTAMP: String(at * 1000), SYSLOG_IDENTIFIER: 'kubelet', MESSAGE: message, ...fields }
    await appendFile(file, `${JSON.stringify(line)}\n`)
  }
  const taking = new Set<Promise<void>>()
  const take = async (stream: Socket): Promise<void> => {
    // A reader that was killed midway leaves nothing to keep.
    const written = await text(stream).catch(() => null)
    if (isStuck || written === null) return
    const [identifier = '', , , , , , , ...lines] = written.split('\n')
    await write(Date.now(), lines.join('\n').trim(), { SYSLOG_IDENTIFIER: identifier })
  }
  const server = createServer((stream) => {
    const taken = take(stream).finally(() => taking.delete(taken))
    taking.add(taken)
  })
  const socket = join(folder, 'journald.sock')
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    program,
    write,
    forget: () => writeFile(file, ''),
    reads: async () => (await readFile(`${file}.reads`).catch(() => '')).length,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
      await Promise.all(taking)
    },
  }
}
