import type { CheckRunOutcome, CheckRunReport, Checks } from '#/ports/github.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asWriteFailure } from './observe.ts'
import { readLinked } from './pages.ts'
import { get, inRepository, repositoryItself } from './places.ts'
import { annotationSchema, checkRunSchema } from './schemas.ts'
import { shape } from '#/adapters/github/http/shape.ts'

export function createChecks(client: Client): Checks {
  const write = async (repository: string, ask: Ask): Promise<CheckRunOutcome> => {
    const answer = await client.ask(ask)
    if (answer.kind !== 'ok') return asWriteFailure(client, answer, repositoryItself(repository, ask.signal))
    const parsed = shape(answer.json, checkRunSchema, client.scrub)
    return parsed.kind === 'seen' ? { kind: 'written', id: parsed.value.id } : parsed
  }
  return {
    annotations: (repository, checkRun, options) => {
      const by = inRepository(repository, ['check-runs', checkRun, 'annotations'], options?.signal)
      return readLinked(client, { ask: get(by), schema: annotationSchema })
    },
    create: (repository, check, options) => {
      const { name, headSha, externalId } = check
      const extra = { name, head_sha: headSha, ...(externalId === undefined ? {} : { external_id: externalId }) }
      const by = inRepository(repository, ['check-runs'], options?.signal)
      return write(repository, { method: 'POST', again: 'harmful', ...by, body: { ...extra, ...buildBody(check) } })
    },
    update: (repository, id, change, options) => {
      const by = inRepository(repository, ['check-runs', id], options?.signal)
      return write(repository, { method: 'PATCH', again: 'harmless', ...by, body: buildBody(change) })
    },
  }
}

/** GitHub refuses longer texts. */
const LONGEST_SUMMARY = 65_535

function buildBody({ status, conclusion, title, summary, detailsUrl }: CheckRunReport): Record<string, unknown> {
  return {
    status,
    ...(conclusion === undefined ? {} : { conclusion }),
    ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
    output: { title, summary: summary.slice(0, LONGEST_SUMMARY) },
  }
}
