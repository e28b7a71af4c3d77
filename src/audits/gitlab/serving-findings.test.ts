import { describe, expect, it } from 'vitest'
import { gitlab } from './audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { blind, seen, seenList } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { DeclaredGitLab } from '#/core/fleet-file/fleet-file.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'

const config = (...runners: readonly string[]): Observed<string> =>
  seen(runners.map((own) => `[[runners]]\n  url = "https://gitlab.example.com"\n  ${own}\n`).join('\n'))

const row = (own: Fields): Fields => ({
  id: 7,
  description: 'main',
  paused: false,
  online: true,
  status: 'online',
  runner_type: 'group_type',
  ...own,
})

function found(rows: Observed<readonly Fields[]>, own: string, declared: DeclaredGitLab = {}): readonly Finding[] {
  const others = { gitlab: { config: config(own), runners: rows }, fleetFile: seen({ gitlab: declared }) }
  return gitlab.examine(buildFleet({}, others), WHOLE_FLEET)
}

const reasons = (...given: Parameters<typeof found>): readonly string[] =>
  found(...given).map(({ class: name, severity, fields }) => `${name} ${severity} ${String(fields?.['reason'])}`)

const WARNING = 'runner-not-serving warning'

describe('a runner of the configuration', () => {
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['serves if it is online and not paused', [], [row({})]],
    ['is paused', [`${WARNING} paused`], [row({ paused: true })]],
    ['is paused, in the words of an older GitLab', [`${WARNING} paused`], [{ id: 7, active: false, online: true }]],
    ['is online, in the words of an older GitLab', [], [{ id: 7, active: true, online: true, status: 'active' }]],
    ['is offline', [`${WARNING} offline`], [row({ online: false, status: 'offline' })]],
    ['is stale', [`${WARNING} stale`], [row({ online: false, status: 'stale' })]],
    ['never came', [`${WARNING} never-contacted`], [row({ online: null, status: 'never_contacted' })]],
    ['is not there', [`${WARNING} unregistered`], [row({ id: 8 })]],
    ['is not there where nothing is', [`${WARNING} unregistered`], []],
  ])('%s', (_title, expected, rows) => {
    expect(reasons(seenList(rows), 'id = 7')).toEqual(expected)
  })

  it('is known by its name where it has no number; a name can be changed, so that its absence is only worth knowing', () => {
    expect(reasons(seenList([row({ paused: true })]), 'name = "main"')).toEqual([`${WARNING} paused`])
    expect(reasons(seenList([row({})]), 'name = "other"')).toEqual(['runner-not-serving info unregistered'])
    expect(reasons(seenList([row({})]), 'limit = 3')).toEqual([])
    expect(reasons(seenList([row({ id: 1, paused: true }), row({ id: 2 })]), 'name = "main"')).toEqual([])
  })

  it('is unknown where GitLab was not asked or did not answer', () => {
    expect(reasons(blind('forbidden', '403'), 'id = 7')).toEqual([])
    expect(reasons(blind('not-asked', 'no list'), 'id = 7')).toEqual([])
  })

  it('of a project is reported where a group is declared', () => {
    const rows = seenList([row({ runner_type: 'project_type', locked: true })])
    expect(reasons(rows, 'id = 7')).toEqual([])
    const [finding] = found(rows, 'id = 7', { group: 'platform' })
    expect([finding?.severity, finding?.evidence.join()]).toEqual(['info', expect.stringContaining('locked to it')])
  })

  it('has its line', () => {
    expect(found(seenList([]), 'id = 7')[0]?.subject).toMatchObject({ kind: 'File', line: 1 })
  })
})

describe('a declared tag', () => {
  const tags = ['linux', 'gpu']
  it.each<readonly [string, readonly string[], readonly Fields[]]>([
    ['is served by a runner that is online', [], [row({ tag_list: tags })]],
    ['is served by nobody', ['gpu'], [row({ tag_list: ['linux'] })]],
    ['is not served by a paused runner', tags, [row({ tag_list: tags, paused: true })]],
    ['is unknown where the list has no tags', [], [row({})]],
  ])('%s', (_title, expected, rows) => {
    const findings = found(seenList(rows), 'id = 7', { tags })
    expect(findings.filter(({ subject }) => subject.kind === 'Label').map(({ subject }) => subject.name)).toEqual(
      expected,
    )
  })
})
