import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agents, judgeAgents } from '#/cli/doctor/agents.ts'
import { judgeSets } from '#/cli/doctor/arc.ts'
import { judgeAuditLogSource } from './audit-log-source.ts'
import { judgeSkew } from '#/cli/doctor/clock-skew.ts'
import { doctorExitCode } from '#/cli/doctor/examine.ts'
import { judgeBudgets } from '#/cli/doctor/github-budget.ts'
import type { MissingAt } from '#/cli/doctor/github-permissions.ts'
import { judgePermissions } from '#/cli/doctor/github-permissions.ts'
import { journal, judgeJournal } from '#/cli/doctor/journal.ts'
import type { Asked } from '#/cli/doctor/kubernetes-rights.ts'
import { eventsRight, judgeRights, podsRight } from '#/cli/doctor/kubernetes-rights.ts'
import { judgeNodeVersion } from '#/cli/doctor/node-version.ts'
import { OBSERVE_RIGHTS, SECRET_RIGHTS } from '#/cli/doctor/observe-rights.ts'
import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Budget } from '#/ports/github.ts'

describe('judgeNodeVersion', () => {
  it.each([
    ['24.14.0', 'ok'],
    ['26.10.0', 'ok'],
    ['24.13.1', 'fail'],
    ['20.20.2', 'fail'],
  ])('%s is %s', (version, kind) => {
    expect(judgeNodeVersion(version).kind).toBe(kind)
  })
})

describe('judgeRights', () => {
  const [pods, logs] = OBSERVE_RIGHTS
  const asked = (right: typeof pods, answer: Asked['answer']): Asked => ({
    right: right!,
    verb: 'get',
    namespace: 'ci',
    answer,
  })

  it('is ok when all is allowed', () => {
    expect(judgeRights([asked(pods, 'allowed'), asked(logs, 'allowed')])).toMatchObject({ kind: 'ok' })
  })

  it('warns about a missing right, and fails for a vital one', () => {
    expect(judgeRights([asked(pods, 'allowed'), asked(logs, 'denied')])).toEqual({
      kind: 'warn',
      detail: 'cannot get pods/log in ci',
      cost: 'deaths are recorded without logs.',
      fix: 'Grant with a Role or ClusterRole: get on pods/log.',
    })
    expect(judgeRights([asked(pods, 'denied')])).toMatchObject({ kind: 'fail', detail: 'cannot get pods in ci' })
  })

  it('is ok without optional rights, and says what they would give', () => {
    const secrets = asked(SECRET_RIGHTS[0], 'denied')
    expect(judgeRights([asked(pods, 'allowed')], [secrets])).toEqual({
      kind: 'ok',
      detail: expect.stringMatching(/^all 1 rights .+; without Secrets: whether credentials agree/) as string,
    })
  })

  it('counts the rights that only audits need, and does not warn a server that records deaths', () => {
    const audits = OBSERVE_RIGHTS.filter(({ recording }) => recording !== true).map((one) => asked(one, 'denied'))
    const all = [asked(pods, 'allowed'), ...audits]
    const detail = `${audits.length} rights that only audits need are missing`
    expect(judgeRights(all)).toMatchObject({ kind: 'warn', detail })
    expect(judgeRights(all, [], { isServer: true })).toMatchObject({
      kind: 'ok',
      detail: expect.stringContaining(detail) as string,
      fix: expect.stringContaining('list on daemonsets (apps)') as string,
    })
    const blindServer = judgeRights([asked(pods, 'denied'), ...audits], [], { isServer: true })
    expect(blindServer).toMatchObject({ kind: 'fail', detail: `cannot get pods in ci, ${detail}` })
  })

  it('does not treat unknown as allowed', () => {
    expect(judgeRights([asked(pods, 'unknown')])).toMatchObject({
      kind: 'fail',
      detail: 'unknown whether it can get pods in ci',
    })
  })
})

describe('judgeSets', () => {
  const refused = blind('forbidden', '403 Forbidden: autoscalingrunnersets.actions.github.com is forbidden')
  const right = expect.stringContaining('list on autoscalingrunnersets') as string

  it('does not warn a server that lacks what only audits need', () => {
    expect(judgeSets([refused, none()], { isServer: true })).toEqual({
      kind: 'ok',
      detail: 'installed; its scale sets are not read here, because only audits need them',
      fix: right,
    })
  })

  it('warns a user who lacks the right, in our own words', () => {
    const judged = judgeSets([refused], { isServer: false })
    expect(judged).toMatchObject({ kind: 'warn', fix: right })
    expect(judged.detail).not.toContain('403')
  })

  it('warns a server too when the list failed for another reason', () => {
    const lists = [refused, blind('timeout', 'no answer within 10 s')]
    expect(judgeSets(lists, { isServer: true })).toMatchObject({ kind: 'warn', detail: 'no answer within 10 s' })
  })
})

describe('judgePermissions', () => {
  const at = (missing: MissingAt['missing']): MissingAt => ({ owner: 'acme', missing })

  it('distinguishes missing, unknown and complete', () => {
    expect(judgePermissions([at(none())])).toMatchObject({ kind: 'ok' })
    expect(judgePermissions([at(none()), at(blind('unsupported', 'a fine-grained token'))])).toMatchObject({
      kind: 'warn',
    })
    expect(judgePermissions([at(seen([{ name: 'checks', level: 'read' }]))])).toMatchObject({
      kind: 'fail',
      detail: 'acme: checks=read is missing',
    })
  })
})

describe('judgeBudgets', () => {
  const budget = (remaining: number): Budget => ({
    credential: 'token',
    resource: 'core',
    limit: 5000,
    remaining,
    resetAt: 90_000,
    source: 'rate-limit',
    heldUntil: null,
  })

  it('judges the lowest', () => {
    expect(judgeBudgets([budget(4000), budget(100)], 0)).toMatchObject({
      kind: 'warn',
      detail: 'token: 100 of 5000 requests left, resets in 1m30s',
    })
    expect(judgeBudgets([budget(4000)], 0)).toMatchObject({ kind: 'ok' })
    expect(judgeBudgets([], 0)).toMatchObject({ kind: 'ok' })
  })
})

describe('judgeSkew', () => {
  it.each<[number | null, CheckResult['kind']]>([
    [null, 'skip'],
    [0, 'ok'],
    [-30_000, 'ok'],
    [31_000, 'warn'],
    [-182_000, 'warn'],
  ])('%s ms is %s', (ms, kind) => {
    expect(judgeSkew(ms).kind).toBe(kind)
  })

  it('says which clock is ahead', () => {
    expect(judgeSkew(182_000).detail).toBe("GitHub's clock is 3m2s ahead of this one")
    expect(judgeSkew(-182_000).detail).toBe("GitHub's clock is 3m2s behind this one")
  })
})

describe('a running server', () => {
  const running = (counts: Readonly<Record<string, number>>) => ({
    url: 'http://127.0.0.1:8080',
    isReady: true,
    count: (metric: string) => counts[metric] ?? null,
  })

  it('shows the number of agents', () => {
    expect(judgeAgents(null)).toMatchObject({ kind: 'skip' })
    expect(judgeAgents(running({ signalbox_agents: 0 }))).toMatchObject({ kind: 'warn' })
    expect(judgeAgents(running({ signalbox_agents: 3 }))).toEqual({
      kind: 'ok',
      detail: '3 connected to http://127.0.0.1:8080',
    })
  })

  it('shows whether audit events arrive', () => {
    expect(judgeAuditLogSource(null, running({}))).toMatchObject({ kind: 'skip' })
    expect(judgeAuditLogSource('token', null)).toMatchObject({ kind: 'skip' })
    expect(judgeAuditLogSource('token', running({}))).toMatchObject({ kind: 'warn' })
    expect(judgeAuditLogSource('token', running({ signalbox_audit_events_total: 7 }))).toMatchObject({ kind: 'ok' })
  })

  it('says how to enable audit events: a chart value in its pod, a flag elsewhere', () => {
    const inPod = judgeAuditLogSource(null, running({}), { inPod: true }).detail
    expect(inPod).toContain('audit.existingSecret')
    expect(inPod).not.toContain('--audit-log')
    expect(judgeAuditLogSource(null, running({})).detail).toContain('--audit-log')
  })

  it('has the rows that the guide names', () => {
    const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/install.md'), 'utf8')
    const named = /; (.+) must be `ok`/
      .exec(guide)?.[1]
      ?.match(/(?<=`)[^`]+(?=`)/g)
      ?.filter((one) => /^\w/.test(one))
    expect(named).toEqual([podsRight, eventsRight, agents].map(({ title }) => title))
  })
})

describe('judgeJournal', () => {
  const gap = { code: 'forbidden' as const, detail: 'not seeing messages' }
  it('is skipped in a pod, which has none', async () => {
    const inPod = { config: { kubernetes: { source: { kind: 'in-cluster' } } } } as unknown as DoctorContext
    expect(await journal.check(inPod)).toMatchObject({ kind: 'skip' })
  })

  it('treats a journal with hidden lines as unreadable', () => {
    expect(judgeJournal(none())).toMatchObject({ kind: 'ok' })
    expect(judgeJournal(seen({ lines: [1], gaps: [] }))).toMatchObject({ kind: 'ok' })
    expect(judgeJournal(seen({ lines: [1], gaps: [gap] }))).toMatchObject({ kind: 'warn', detail: gap.detail })
    expect(judgeJournal(blind('unsupported', 'no journal'))).toMatchObject({ kind: 'warn', detail: 'no journal' })
  })
})

describe('exitCodeOf', () => {
  const examined = (kind: CheckResult['kind'], reaches = false) => {
    const check: Check = {
      id: 'x',
      title: 'X',
      check: async () => result,
      ...(reaches ? { reaches: true as const } : {}),
    }
    const result = { kind, detail: '', cost: '', fix: '' } as CheckResult
    return { check, result }
  }

  it('is 0 for warnings, 1 for failures, 3 when nothing outside can be reached', () => {
    expect(doctorExitCode([examined('ok', true), examined('warn'), examined('skip')])).toBe(0)
    expect(doctorExitCode([examined('ok', true), examined('fail', true)])).toBe(1)
    expect(doctorExitCode([examined('ok', true), examined('fail')])).toBe(1)
    expect(doctorExitCode([examined('fail', true), examined('warn', true)])).toBe(3)
    expect(doctorExitCode([examined('warn', true), examined('fail')])).toBe(1)
  })
})
