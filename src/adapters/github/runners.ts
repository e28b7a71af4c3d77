import type { Observed } from '#/core/basics/observed.ts'
import { none, seen } from '#/core/basics/observed.ts'
import type {
  DeregisterOutcome,
  MintOrder,
  MintOutcome,
  RegisteredRunner,
  Registration,
  Runners,
  Waiting,
} from '#/ports/github.ts'
import type { Ask, Unsuccessful } from '#/adapters/github/http/ask.ts'
import { blindOutcome } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asBlind, asWriteFailure, observeOne } from './observe.ts'
import { readCounted } from './pages.ts'
import { atRegistration, get, inOrganization } from './places.ts'
import { groupSchema, mintSchema, runnerSchema } from './schemas.ts'
import { Secret } from '#/core/basics/secret.ts'
import { shape } from '#/adapters/github/http/shape.ts'

export function createRunners(client: Client): Runners {
  const list = (at: Registration, query: NonNullable<Ask['query']>, signal: AbortSignal | undefined) =>
    readCounted(client, { ask: get(atRegistration(at, [], signal), query), rows: 'runners', schema: runnerSchema })
  return {
    list: (at, options) => list(at, {}, options?.signal),
    byId: (at, id, options) =>
      observeOne(client, {
        ask: get(atRegistration(at, [id], options?.signal)),
        schema: runnerSchema,
        place: listItself(at, options),
      }),
    byName: async (at, name, options) => {
      const found = await list(at, { name }, options?.signal)
      return found.kind === 'seen' ? named(found.value, name) : found
    },
    deregister: (at, id, options) => deregister(client, at, id, options),
    mint: (at, order, options) => mint(client, at, order, options),
    groups: (organization, options) =>
      readCounted(client, {
        ask: get(inOrganization(organization, ['actions', 'runner-groups'], options?.signal)),
        rows: 'runner_groups',
        schema: groupSchema,
      }),
  }
}

/** Whether GitHub's filter wants the whole name is not documented. */
function named(runners: readonly RegisteredRunner[], name: string): Observed<RegisteredRunner> {
  const runner = runners.find((candidate) => candidate.name === name)
  return runner === undefined ? none() : seen(runner)
}

function listItself(at: Registration, options: Waiting | undefined): Ask {
  return get(atRegistration(at, [], options?.signal), { per_page: 1 })
}

async function deregister(
  client: Client,
  at: Registration,
  id: number,
  options: Waiting | undefined,
): Promise<DeregisterOutcome> {
  const by = atRegistration(at, [id], options?.signal)
  const answer = await client.ask({ method: 'DELETE', again: 'harmless', ...by })
  if (answer.kind === 'ok') {
    return answer.status === 204
      ? { kind: 'deregistered' }
      : blindOutcome('malformed', `a removal answered ${answer.status}`)
  }
  if (answer.kind === 'refused' && /running a job/iu.test(answer.detail)) return { kind: 'busy' }
  const failure = await asWriteFailure(client, answer, listItself(at, options))
  return failure.kind === 'refused' || failure.kind === 'rate-limited' ? asBlind(answer) : failure
}

async function mint(
  client: Client,
  at: Registration,
  order: MintOrder,
  options: Waiting | undefined,
): Promise<MintOutcome> {
  const { name, groupId, labels, workFolder } = order
  const answer = await client.ask({
    method: 'POST',
    ...atRegistration(at, ['generate-jitconfig'], options?.signal),
    body: { name, runner_group_id: groupId, labels, ...(workFolder === undefined ? {} : { work_folder: workFolder }) },
    // A second try after a lost answer finds its own name taken.
    again: 'harmful',
    resource: 'actions_runner_registration',
  })
  if (answer.kind !== 'ok') return notMinted(answer)
  const parsed = shape(answer.json, mintSchema, client.scrub)
  if (parsed.kind === 'blind') return parsed
  const { runner, encoded_jit_config: config } = parsed.value
  return { kind: 'minted', runner, config: new Secret('jit-config', config) }
}

function notMinted(answer: Unsuccessful): MintOutcome {
  switch (answer.kind) {
    case 'refused':
      return answer.status === 409 ? { kind: 'name-taken' } : { kind: 'refused', why: 'invalid', detail: answer.detail }
    case 'absent':
    case 'gone':
      return { kind: 'refused', why: 'absent', detail: answer.detail }
    case 'forbidden':
      return { kind: 'refused', why: 'forbidden', detail: answer.detail }
    case 'rate-limited':
    case 'blind':
      return answer
  }
}
