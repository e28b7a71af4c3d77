import type { DatabaseRequest } from '#/adapters/postgres/database.ts'
import { findRunningServer } from '#/adapters/postgres/embedded/running-server.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import type { EmbeddedServer } from '#/adapters/postgres/embedded/start-embedded.ts'
import { BackupRefusal } from './backup-refusal.ts'

export type OpenPlace = { readonly connectionString: string; readonly close: () => Promise<void> }

/** To read: the server that runs already, or one that is started for the time of the backup. Never makes a database. */
export async function openToRead(request: DatabaseRequest): Promise<OpenPlace> {
  const { place, signal } = request
  if ('databaseUrl' in place) return server(place.databaseUrl)
  const found = await findRunningServer(place.dataFolder, signal)
  if (found.kind === 'running') return server(found.connectionString)
  if (found.kind === 'refused') throw new BackupRefusal(found.why, found.next)
  if (found.kind === 'no-data') {
    throw new BackupRefusal(
      `there is no database in ${place.dataFolder}`,
      'Give its folder with --data, or set DATABASE_URL.',
    )
  }
  return await start(request, place.dataFolder)
}

/** To write: a server of which we are the only user; a folder that is not there yet is made. */
export async function openToWrite(request: DatabaseRequest): Promise<OpenPlace> {
  const { place } = request
  return 'databaseUrl' in place ? server(place.databaseUrl) : await start(request, place.dataFolder)
}

function server(connectionString: string): OpenPlace {
  return { connectionString, close: async () => undefined }
}

async function start(request: DatabaseRequest, dataFolder: string): Promise<OpenPlace> {
  const started: EmbeddedServer | { readonly kind: 'refused'; readonly why: string; readonly next: string } =
    await startEmbedded({ ...request, dataFolder })
  if (started.kind === 'refused') throw new BackupRefusal(started.why, started.next)
  return { connectionString: started.connectionString, close: started.stop }
}
