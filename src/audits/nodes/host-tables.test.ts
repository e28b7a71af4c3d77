import { describe, expect, it } from 'vitest'
import { nodes } from './audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import { buildNode, buildPod, running } from '#test/fleets/cluster-parts.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import type { Lists } from '#test/fleets/build-fleet.ts'
import { fileTable, mostCgroups, nodesByHost } from './host-tables.ts'

const HEAD = '#subsys_name\thierarchy\tnum_cgroups\tenabled\n'
const cgroups = (groups: number): string => `${HEAD}cpuset\t5\t40\t1\nmemory\t9\t${groups}\t1\n`

const examined = (host: string, files: Readonly<Record<string, string>>, lists: Lists = {}): readonly Finding[] =>
  nodes.examine(
    buildFleet(
      { nodes: [buildNode('sting')], ...lists },
      { hosts: seen(new Map([[host, new Map(Object.entries(files))]])) },
    ),
    WHOLE_FLEET,
  )
const found = (...given: Parameters<typeof examined>): readonly string[] =>
  examined(...given).map((one) => `${one.class} ${one.subject.name}`)

const pods = (count: number, own: Fields = {}): readonly Fields[] =>
  Array.from({ length: count }, (_, index) => buildPod(`p${index}`, { state: running(10), ...own }))

describe('the control groups of a host', () => {
  it.each<readonly [string, readonly string[], number, Lists]>([
    ['are a leak above ten thousand', ['cgroup-leak sting'], 10_001, {}],
    ['are none at ten thousand', [], 10_000, {}],
    ['may be twenty more for each pod', [], 10_100, { pods: pods(5) }],
    ['may not be more than that', ['cgroup-leak sting'], 10_101, { pods: pods(5) }],
    ['are not explained by ended pods', ['cgroup-leak sting'], 10_100, { pods: pods(5, { phase: 'Succeeded' }) }],
    ['are not explained by pods of another node', ['cgroup-leak sting'], 10_100, { pods: pods(5, { node: 'honey' }) }],
    [
      'are judged by the most that the node takes where pods cannot be read',
      [],
      12_200,
      { pods: blind('forbidden', '403') },
    ],
    ['are a leak beyond even that', ['cgroup-leak sting'], 12_201, { pods: blind('forbidden', '403') }],
  ])('%s', (_title, expected, groups, lists) => {
    expect(found('sting', { 'proc/cgroups': cgroups(groups) }, lists)).toEqual(expected)
  })

  it('are counted for the largest controller', () => {
    expect(mostCgroups(cgroups(7))).toEqual({ controller: 'cpuset', groups: 40 })
    expect(mostCgroups(HEAD)).toBeNull()
    expect(found('sting', { 'proc/cgroups': HEAD })).toEqual(['blind host/sting'])
  })
})

describe('the table of open files', () => {
  it.each<readonly [string, readonly string[], string]>([
    ['is nearly full at 90 %', ['file-table-near-limit sting'], '900\t0\t1000\n'],
    ['is not below', [], '899\t0\t1000\n'],
    ['does not count what is free again', [], '950\t51\t1000\n'],
    ['has no limit on a new kernel', [], '95000\t0\t9223372036854775807\n'],
    ['is unknown if its numbers are missing', ['blind host/sting'], 'cat: /proc/sys/fs/file-nr\n'],
  ])('%s', (_title, expected, text) => {
    expect(found('sting', { 'proc/sys/fs/file-nr': text })).toEqual(expected)
  })

  it('takes its limit from the other file if it has none', () => {
    expect(fileTable('900 0', '1000\n')).toEqual({ used: 900, most: 1000 })
    expect(fileTable('900 0', null)).toBeNull()
  })
})

describe('a host', () => {
  const fleet = buildFleet({
    nodes: [
      buildNode('ip-10-0-0-1.ec2.internal'),
      buildNode('node-7', { labels: { 'kubernetes.io/hostname': 'rack7' } }),
      buildNode('10.0.0.9'),
    ],
  })
  it.each<readonly [string, string | null]>([
    ['ip-10-0-0-1.ec2.internal', 'ip-10-0-0-1.ec2.internal'],
    ['ip-10-0-0-1', 'ip-10-0-0-1.ec2.internal'],
    ['IP-10-0-0-1.other.domain', 'ip-10-0-0-1.ec2.internal'],
    ['rack7', 'node-7'],
    ['10.0.0.9', '10.0.0.9'],
    ['10.0.0.8', null],
    ['rack8', null],
  ])('%s is the node %s', (host, name) => {
    expect(nodesByHost(fleet)(host)?.name ?? null).toBe(name)
  })

  it('that is not a node is reported by its own name', () => {
    expect(found('mac-3', { 'proc/sys/fs/file-nr': '990 0 1000' })).toEqual(['file-table-near-limit mac-3'])
  })
})
