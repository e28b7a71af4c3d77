import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeServer, judgeServerVersion } from '#/adapters/postgres/database.ts'
import { startEmbedded } from '#/adapters/postgres/embedded/start-embedded.ts'
import { reachable } from '#/adapters/postgres/connection/pool-fault.ts'
import { openPool } from '#/adapters/postgres/connection/pool.ts'
import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { fail, ok } from '#/cli/doctor/check.ts'
import { redact } from '#/adapters/redaction/redact.ts'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

const COST = 'Without a store serve cannot start, and nothing is recorded.'

export const databaseServer: Check = {
  id: 'database',
  title: 'PostgreSQL',
  check: async (context) => {
    const { databaseUrl } = context.config
    if (databaseUrl !== null) return askServer(databaseUrl.reveal(), context.signal)
    const running = await context.runningServer()
    return running?.isReady === true ? ok(`embedded, running for ${running.url}`) : tryEmbedded(context)
  },
}

const QUESTION = `
  select current_setting('server_version') as version,
         current_setting('server_version_num') as number,
         has_schema_privilege(current_schema(), 'create') as may_create`

type Answers = { readonly version: string; readonly number: string; readonly may_create: boolean }

async function askServer(connectionString: string, signal: AbortSignal): Promise<CheckResult> {
  const where = describeServer(connectionString) ?? 'the database server'
  const pool = openPool({ connectionString, maxConnections: 1 })
  try {
    const { rows } = await reachable(() => Promise.race([pool.query<Answers>(QUESTION), abandoned(signal)]))
    return judgeServer(where, rows[0])
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return fail(redact(`${where}: ${error.message}`), {
      cost: COST,
      fix: 'Check that the server runs, is reachable from here, and that DATABASE_URL is correct.',
    })
  } finally {
    // Not awaited: it could hang on a server that never answers.
    void pool.end()
  }
}

/** The driver does not accept an abort signal. */
function abandoned(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(new StoreUnavailable('aborted while waiting for an answer'))
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
}

function judgeServer(where: string, answers: Answers | undefined): CheckResult {
  const tooOld = judgeServerVersion(Number(answers?.number))
  if (tooOld !== null) return fail(tooOld.why, { cost: COST, fix: tooOld.next })
  if (answers?.may_create !== true) {
    return fail(`${where}: the user cannot create tables`, {
      cost: COST,
      fix: 'Run: grant create on schema public to the user of DATABASE_URL.',
    })
  }
  return ok(`${answers.version}, ${where}`)
}

/** In a temporary folder: the real one may be in use, and a check must not change it. */
async function tryEmbedded({ clock, signal, config }: DoctorContext): Promise<CheckResult> {
  const trial = await mkdtemp(join(tmpdir(), 'signalbox-doctor-'))
  try {
    // PostgreSQL started by root runs as another user, who needs access.
    await chmod(trial, 0o711)
    const server = await startEmbedded({
      dataFolder: join(trial, 'data'),
      binaries: config.postgres.binaries,
      clock,
      notice: () => {},
      signal,
      systemFolders: { data: join(trial, 'system-data'), binaries: join(trial, 'binaries') },
    })
    if (server.kind === 'refused') return fail(server.why, { cost: COST, fix: server.next })
    await server.stop()
    return ok('embedded, can be started here')
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}
