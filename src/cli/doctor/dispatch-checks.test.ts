import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { DISPATCH_CLUSTER_RIGHTS, DISPATCH_RIGHTS } from './dispatch-rights.ts'
import { judgePoolPermissions, listPlaces } from './pool-permissions.ts'
import type { MissingAtPool } from './pool-permissions.ts'
import { judgePools } from './runner-pools.ts'
import { judgeDeliveries } from './webhook-deliveries.ts'
import { judgeEvents, judgeSecret } from './webhook-setup.ts'
import type { Right } from '#/cli/doctor/observe-rights.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { HookDelivery } from '#/ports/github.ts'

type Rule = Readonly<Record<'apiGroups' | 'resources' | 'verbs', readonly string[]>>

const deploy = (file: string): string => readFileSync(resolve(import.meta.dirname, '../../../deploy', file), 'utf8')

function granted(rules: readonly Rule[]): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${verb} ${name}.${group}`))),
    )
    .toSorted()
}

function asked(rights: readonly Right[]): readonly string[] {
  return rights
    .flatMap(({ resource, subresource, verbs }) => {
      const name = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`
      return verbs.map((verb) => `${verb} ${name}.${resource.group}`)
    })
    .toSorted()
}

describe('the rights that doctor checks for own pools', () => {
  it('are those of deploy/dispatch/role.yaml', () => {
    expect(asked(DISPATCH_RIGHTS)).toEqual(granted((parse(deploy('dispatch/role.yaml')) as { rules: Rule[] }).rules))
  })

  it("are those of the chart's ClusterRole", () => {
    const text = deploy('chart/templates/dispatch.yaml').replaceAll(/\{\{[^}]*\}\}/g, 'x')
    const rules = text.slice(text.indexOf('rules:'), text.indexOf('---'))
    const document = parseAllDocuments(rules)[0]?.toJSON() as { rules: Rule[] }
    expect(asked(DISPATCH_CLUSTER_RIGHTS)).toEqual(granted(document.rules))
  })
})

describe('judgePools', () => {
  it.each([
    [none(), 'fail', /does not know the kind RunnerPool/],
    [blind('forbidden', 'cannot list'), 'fail', /cannot list/],
    [blind('not-asked', 'cannot reach the cluster'), 'skip', /cannot reach/],
    [seen({ pools: [], mistakes: [] }), 'warn', /there is no RunnerPool/],
    [seen({ pools: [declarePool('linux')], mistakes: [] }), 'ok', /^1 pool$/],
    [seen({ pools: [], mistakes: ['runners/linux: spec.labels is empty'] }), 'fail', /spec\.labels is empty/],
  ] as const)('%j is %s', (declared, kind, detail) => {
    expect(judgePools(declared)).toMatchObject({ kind, detail: expect.stringMatching(detail) as string })
  })
})

describe('the permissions of pools', () => {
  it('are asked for once at each place, by the scope of its pools', () => {
    const places = listPlaces([
      declarePool('a'),
      declarePool('b', { github: { repositories: ['app'] } }),
      declarePool('c', { github: { scope: 'organization', repositories: [] } }),
    ])
    expect(places.map(({ owner, needed, pools }) => [owner, needed[0], pools])).toEqual([
      ['acme/app', { name: 'administration', level: 'write' }, ['runners/a', 'runners/b']],
      ['acme/api', { name: 'administration', level: 'write' }, ['runners/a']],
      ['acme', { name: 'organization_self_hosted_runners', level: 'write' }, ['runners/c']],
    ])
  })

  const at = (missing: MissingAtPool['missing']): MissingAtPool => ({
    owner: 'acme/app',
    pools: ['runners/a'],
    missing,
  })
  it.each([
    [at(none()), 'ok', 'runners can be registered at acme/app'],
    [at(blind('unsupported', 'a fine-grained token')), 'warn', 'acme/app: a fine-grained token'],
    [at(seen([{ name: 'administration', level: 'write' }])), 'fail', 'acme/app: administration=write is missing'],
  ] as const)('%j is %s', (answer, kind, detail) => {
    expect(judgePoolPermissions([answer])).toMatchObject({ kind, detail })
  })
})

describe('the webhook', () => {
  it('needs a secret and the event', () => {
    expect(judgeSecret(true)).toMatchObject({ kind: 'ok' })
    expect(judgeSecret(false)).toMatchObject({ kind: 'fail' })
    expect(judgeEvents(seen({ events: ['workflow_job'] }))).toMatchObject({ kind: 'ok' })
    expect(judgeEvents(seen({ events: ['push'] }))).toMatchObject({ kind: 'fail' })
    expect(judgeEvents(blind('timeout', 'no answer'))).toMatchObject({ kind: 'warn', detail: 'no answer' })
  })

  const attempt = (guid: string, statusCode: number, deliveredAt = 1000): HookDelivery => ({
    id: `${guid}-${statusCode}`,
    guid,
    event: 'workflow_job',
    action: 'queued',
    status: statusCode === 202 ? 'OK' : 'failed',
    statusCode,
    redelivery: false,
    deliveredAt,
  })

  it.each([
    [seen([attempt('a', 202), attempt('b', 202)]), 'ok', 'all 2 of the last hour arrived'],
    [seen([attempt('a', 202), attempt('a', 503)]), 'ok', 'all 1 of the last hour arrived'],
    [seen([attempt('a', 401, 999)]), 'ok', 'none in the last hour: no job changed, or the webhook is not active'],
    [none(), 'ok', 'none in the last hour: no job changed, or the webhook is not active'],
    [seen([attempt('a', 202), attempt('b', 401)]), 'warn', '1 of 2 in the last hour failed: b (401 failed)'],
    [seen([attempt('b', 504), attempt('b', 401)]), 'warn', '1 of 1 in the last hour failed: b (504 failed)'],
    [
      seen(['a', 'b', 'c', 'd', 'e'].map((guid) => attempt(guid, 502))),
      'warn',
      '5 of 5 in the last hour failed: a (502 failed), b (502 failed), c (502 failed), and 2 more',
    ],
    [blind('unreachable', 'no route'), 'warn', 'no route'],
  ] as const)('with the deliveries %j is %s', (deliveries, kind, detail) => {
    expect(judgeDeliveries(deliveries, 1000)).toMatchObject({ kind, detail })
  })

  it.each([
    [401, 'the same secret'],
    [404, '/webhooks/github'],
    [413, '25 MiB'],
    [503, '/readyz'],
    [504, 'GitHub got no answer'],
    [500, 'something in front'],
  ])('that answers %i has its own advice, and Redeliver', (statusCode, advice) => {
    const { fix } = judgeDeliveries(seen([attempt('a', statusCode)]), 0)
    expect(fix).toContain(advice)
    expect(fix).toContain('press Redeliver')
  })
})
