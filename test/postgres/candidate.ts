import { systemClock } from '#/adapters/clock.ts'
import { postgresLeadership } from '#/adapters/postgres/leader.ts'

/** A replica that only runs for leader and prints the outcome. */

type CandidateArguments = { readonly connectionString: string; readonly name: string; readonly holder: string }
const request = JSON.parse(process.argv[2] ?? '') as CandidateArguments
const term = await postgresLeadership({ ...request, clock: systemClock }).campaign(new AbortController().signal)
process.stdout.write(`elected ${term?.epoch}\n`)
process.stdout.write(`lost ${(await term?.lost)?.why}\n`)
