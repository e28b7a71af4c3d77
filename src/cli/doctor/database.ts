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

const COST = 'There is no store: serve cannot start, and nothing is recorded.'

export const databaseServer: Check = {
  id: 'database',
  title: 'PostgreSQL',
  check: async (context) => {
    const { databaseUrl } = context.config
    if (databaseUrl !== null) return askServer(databaseUrl.reveal(), context.signal)
    const running = await context.runningServer()
    return running?.isReady === true ? ok(`the embedded one runs for ${running.url}`) : tryEmbedded(context)
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
      mend: 'Check that the server runs and can be reached from here, and that DATABASE_URL is right.',
    })
  } finally {
    // Not awaited: it would wait for a server that never answers.
    void pool.end()
  }
}

/** The driver takes no signal. */
function abandoned(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => reject(new StoreUnavailable('no answer was waited for'))
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
}

function judgeServer(where: string, answers: Answers | undefined): CheckResult {
  const tooOld = judgeServerVersion(Number(answers?.number))
  if (tooOld !== null) return fail(tooOld.why, { cost: COST, mend: tooOld.next })
  if (answers?.may_create !== true) {
    return fail(`${where}: the user may not create tables`, {
      cost: COST,
      mend: 'Grant it: grant create on schema public to the user of DATABASE_URL.',
    })
  }
  return ok(`${answers.version}, ${where}`)
}

/** In a folder of its own that is removed again: the real one may be in use, and looking must not change it. */
async function tryEmbedded({ clock, signal }: DoctorContext): Promise<CheckResult> {
  const trial = await mkdtemp(join(tmpdir(), 'signalbox-doctor-'))
  try {
    // As root PostgreSQL runs as another user, who must be able to enter.
    await chmod(trial, 0o711)
    const server = await startEmbedded({
      dataFolder: join(trial, 'data'),
      clock,
      notice: () => {},
      signal,
      systemFolders: { data: join(trial, 'system-data'), binaries: join(trial, 'binaries') },
    })
    if (server.kind === 'refused') return fail(server.why, { cost: COST, mend: server.next })
    await server.stop()
    return ok('the embedded one starts here')
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}
