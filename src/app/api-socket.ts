import { dirname } from 'node:path'
import { makeFolder } from '#/adapters/postgres/embedded/make-folder.ts'
import type { Config } from '#/config/config.ts'
import type { Log } from '#/ports/log.ts'
import type { createApp } from '#/server/app.ts'
import { listenOnSocket } from '#/server/listen-socket.ts'
import { AppFailure } from '#/app/part/failure.ts'

export type ApiSocket = { readonly path: string | null; readonly close: () => Promise<void> }

const NONE: ApiSocket = { path: null, close: async () => {} }
const FOLDER_MODE = 0o700

/** A place that somebody chose must work; without the default one `serve` still records, and says what is missing. */
export async function openApiSocket(
  app: ReturnType<typeof createApp>,
  { api }: Pick<Config, 'api'>,
  log: Pick<Log, 'warn'>,
): Promise<ApiSocket> {
  if (api.socket === null) return NONE
  const { path, isDefault } = api.socket
  const opened = await makeFolder(dirname(path), FOLDER_MODE).then(
    () => listenOnSocket(app, path),
    (error: Error) => ({
      kind: 'refused' as const,
      why: `cannot make the folder of ${path}: ${error.message}`,
      next: 'set api.socket',
    }),
  )
  if (opened.kind === 'listening') return opened
  if (!isDefault) throw new AppFailure('failed', opened.why, [opened.next])
  log.warn('there is no Unix socket: commands on this machine need a token', { why: opened.why, next: opened.next })
  return NONE
}
