import { isoTime, json, noContent, notFound, refusal, unprocessable } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import { linkHeader, numberedPage } from './pagination.ts'
import { isObject } from './request-body.ts'
import { renderGroup, renderRunner } from '#/sim/github/render/render-runner.ts'
import type { Access, Call, Route } from './router.ts'
import { idParam, param, repositoryName } from './router.ts'
import type { Scope, SimRunner } from '#/sim/github/world/world-state.ts'

const HOUR = 3_600_000
const MAX_NAME = 64
const MAX_LABELS = 100

export function runnerRoutes(context: Context): readonly Route[] {
  return [
    ...scopedRoutes(context, '/orgs/{org}', 'organization_self_hosted_runners', (call) => {
      const account = context.world.account(param(call, 'org'))
      return account?.type === 'Organization' ? { kind: 'organization', login: account.login } : null
    }),
    ...scopedRoutes(context, '/repos/{owner}/{repo}', 'administration', (call) => {
      const repository = context.world.repository(repositoryName(call))
      return repository === undefined ? null : { kind: 'repository', fullName: repository.fullName }
    }),
    {
      method: 'GET',
      path: '/orgs/{org}/actions/runner-groups',
      access: { kind: 'permission', permission: 'organization_self_hosted_runners', level: 'read' },
      answer: (call) => {
        const groups = context.world.groups(param(call, 'org'))
        const page = numberedPage(groups, call.url)
        const rows = page.rows.map((group) => renderGroup(group, call.urls))
        return json(200, { total_count: groups.length, runner_groups: rows }, linkHeader(page.link))
      },
    },
  ]
}

type ScopeOf = (call: Call) => Scope | null

/** The same five answers for an organisation and for a repository. */
function scopedRoutes(context: Context, prefix: string, permission: string, scopeOf: ScopeOf): readonly Route[] {
  const reads: Access = { kind: 'permission', permission, level: 'read' }
  const writes: Access = { kind: 'permission', permission, level: 'write' }
  const within =
    (answer: (call: Call, scope: Scope) => Response) =>
    (call: Call): Response => {
      const scope = scopeOf(call)
      return scope === null ? notFound() : answer(call, scope)
    }
  const runners = `${prefix}/actions/runners`
  const one = `${runners}/{runner_id}`
  const token = within(() => registrationToken(context))
  return [
    {
      method: 'POST',
      path: `${runners}/generate-jitconfig`,
      access: writes,
      answer: within((call, scope) => generateJitConfig(context, call, scope)),
    },
    { method: 'POST', path: `${runners}/registration-token`, access: writes, answer: token },
    { method: 'POST', path: `${runners}/remove-token`, access: writes, answer: token },
    { method: 'GET', path: runners, access: reads, answer: within((call, scope) => list(context, call, scope)) },
    { method: 'GET', path: one, access: reads, answer: within((call, scope) => get(context, call, scope)) },
    { method: 'DELETE', path: one, access: writes, answer: within((call, scope) => remove(context, call, scope)) },
  ]
}

function list(context: Context, call: Call, scope: Scope): Response {
  const name = call.url.searchParams.get('name')
  const runners = context.world.listRunners(scope).filter((runner) => name === null || runner.name === name)
  const page = numberedPage(runners, call.url)
  return json(200, { total_count: runners.length, runners: page.rows.map(renderRunner) }, linkHeader(page.link))
}

function get(context: Context, call: Call, scope: Scope): Response {
  const id = idParam(call, 'runner_id')
  const runner = context.world.listRunners(scope).find((candidate) => candidate.id === id)
  return runner === undefined ? notFound() : json(200, renderRunner(runner))
}

function remove(context: Context, call: Call, scope: Scope): Response {
  const id = idParam(call, 'runner_id')
  const name = context.world.runner(id)?.name ?? ''
  switch (context.world.removeRunner(scope, id)) {
    case 'removed':
      return noContent()
    case 'absent':
      return notFound()
    case 'busy':
      // The stray quotation mark is GitHub's.
      return unprocessable(`Bad request - Runner "${name}" is still running a job"`)
  }
}

function generateJitConfig(context: Context, call: Call, scope: Scope): Response {
  const spec = jitSpec(call.body)
  if (spec.kind === 'invalid') return unprocessable(`Invalid request.\n\n${spec.problem}`)
  const outcome = context.world.registerRunner({ ...spec.value, scope, ephemeral: true })
  switch (outcome.kind) {
    case 'no-such-group':
      return notFound()
    case 'name-taken':
      return refusal(409, `Already exists - A runner with the name ${spec.value.name} already exists.`)
    case 'registered':
      return json(201, {
        runner: renderRunner(outcome.runner),
        encoded_jit_config: encodedJitConfig(context, outcome.runner, call),
      })
  }
}

type JitSpec =
  | {
      readonly kind: 'valid'
      readonly value: { readonly name: string; readonly groupId: number; readonly labels: readonly string[] }
    }
  | { readonly kind: 'invalid'; readonly problem: string }

function jitSpec(body: unknown): JitSpec {
  const invalid = (problem: string): JitSpec => ({ kind: 'invalid', problem })
  if (!isObject(body)) return invalid("For 'links/0/schema', nil is not an object.")
  const { name, runner_group_id: groupId, labels } = body
  if (typeof name !== 'string' || name === '') return invalid('"name" wasn\'t supplied.')
  if (name.length > MAX_NAME) return invalid(`"name" is longer than ${MAX_NAME} characters.`)
  if (typeof groupId !== 'number' || !Number.isInteger(groupId)) return invalid('"runner_group_id" wasn\'t supplied.')
  if (!Array.isArray(labels)) return invalid('"labels" wasn\'t supplied.')
  const names = labels.filter((label) => typeof label === 'string' && label !== '').map(String)
  if (names.length === 0 || names.length !== labels.length || names.length > MAX_LABELS) {
    return invalid(`"labels" needs 1 to ${MAX_LABELS} names.`)
  }
  return { kind: 'valid', value: { name, groupId, labels: names } }
}

/** Opaque to everybody but the runner; here it lets a simulated runner find out who it is. */
function encodedJitConfig(context: Context, runner: SimRunner, call: Call): string {
  const config = {
    agentId: runner.id,
    agentName: runner.name,
    serverUrl: call.urls.api,
    secret: context.seeded.hex(32),
  }
  return Buffer.from(JSON.stringify(config)).toString('base64')
}

function registrationToken(context: Context): Response {
  const expiresAt = isoTime(context.clock.now() + HOUR)
  return json(201, { token: context.seeded.hex(29).toUpperCase(), expires_at: expiresAt })
}
