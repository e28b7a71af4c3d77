import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capacity } from '#/audits/capacity/audit.ts'
import { contract } from '#/audits/contract/audit.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import { runAudit } from '#/core/audit/run-audit.ts'
import { buildNode, buildSet } from '#test/fleets/build-scale-set.ts'
import { printProblem, readSources } from './read-sources.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sources-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, content: string | object): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const read = (...paths: readonly string[]) => readSources(paths, new AbortController().signal)
const reported = async (...paths: readonly string[]) =>
  (await read(...paths)).problems.map((problem) => printProblem(problem).replace(`${folder}/`, ''))
const LIST = (kind: string, items: readonly object[], metadata = {}) => ({ apiVersion: 'v1', kind, metadata, items })
const VALUES = 'githubConfigUrl: https://github.com/example-org\nmaxRunners: 4\n'

async function audited(...paths: readonly string[]) {
  const { snapshot } = await read(...paths)
  const fleet = readFleet(snapshot)
  return {
    contract: runAudit(contract, fleet, WHOLE_FLEET),
    capacity: runAudit(capacity, fleet, WHOLE_FLEET),
  }
}

describe('a fleet from files', () => {
  it('needs no cluster for the contract audit, and nodes for the capacity audit', async () => {
    const reports = await audited(write('linux.yaml', VALUES))
    expect(reports.contract.isBlind).toBe(false)
    expect(reports.contract.findings.map((one) => one.class)).toEqual([
      'limits-missing',
      'image-unpinned',
      'grace-period-too-short',
      'diag-not-on-stdout',
    ])
    expect(reports.capacity.findings).toMatchObject([{ class: 'blind', subject: { name: 'kubernetes/nodes' } }])
  })

  it('has a capacity if it has nodes', async () => {
    write('sets.json', LIST('List', [buildSet('linux')]))
    write('nodes.json', LIST('NodeList', [buildNode('a')]))
    const { capacity: report } = await audited(folder)
    expect(report.isBlind).toBe(false)
    expect(report.findings).toMatchObject([{ class: 'fits', fields: { declaredMax: 4, fits: 4 } }])
  })

  it('is blind without any set', async () => {
    const { contract: report } = await audited(write('nodes.json', LIST('NodeList', [buildNode('a')])))
    expect(report.findings).toMatchObject([{ class: 'blind', subject: { name: 'kubernetes/autoscalingrunnersets' } }])
  })

  it('reads the output of helm template: many documents, some of them empty', async () => {
    const documents = [
      buildSet('a'),
      buildSet('b'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'x' } },
    ]
    const text = documents
      .map((one) => `---\n# Source: gha-rs/templates/x.yaml\n${JSON.stringify(one, null, 1)}\n`)
      .join('---\n')
    const { snapshot, problems, files } = await read(write('rendered.yaml', text))
    expect(problems).toEqual([])
    expect(files).toMatchObject([{ holds: ['2 AutoscalingRunnerSet', '1 ServiceAccount'] }])
    expect(readFleet(snapshot).sets.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('reads nested lists and items without a kind', async () => {
    const bare = { metadata: { name: 'n' }, status: { allocatable: { cpu: '1', memory: '1Gi', pods: '5' } } }
    write('a.json', LIST('List', [LIST('NodeList', [bare]), buildSet('a')]))
    const { snapshot } = await read(folder)
    const fleet = readFleet(snapshot)
    expect([fleet.nodes.length, fleet.sets.length]).toEqual([1, 1])
  })

  it('resolves merge keys and anchors of YAML', async () => {
    const text =
      'base: &base\n  githubConfigUrl: https://github.com/a\n  minRunners: 1\nlinux:\n  <<: *base\n  maxRunners: 3\n'
    const { snapshot } = await read(write('values.yaml', text))
    expect(readFleet(snapshot).sets.map(({ name, minRunners, maxRunners }) => [name, minRunners, maxRunners])).toEqual([
      ['base', 1, null],
      ['linux', 1, 3],
    ])
  })

  it('distinguishes an empty list from no list', async () => {
    const { snapshot } = await read(write('a.json', LIST('LimitRangeList', [])), write('b.yaml', VALUES))
    expect(snapshot.lists.get('limitranges')).toEqual({ kind: 'none' })
    expect(snapshot.lists.get('nodes')).toMatchObject({ kind: 'blind', reason: { code: 'not-asked' } })
    expect(snapshot.lists.get('pods')).toBeUndefined()
  })

  it('is blind to a list with missing pages', async () => {
    write('nodes.json', LIST('NodeList', [buildNode('a')], { continue: 'abc' }))
    write('sets.json', buildSet('a'))
    const { capacity: report } = await audited(folder)
    expect(report.isBlind).toBe(true)
    expect(report.findings).toMatchObject([{ class: 'blind', subject: { name: 'kubernetes/nodes' } }])
  })

  it('ignores an object of another API group', async () => {
    const foreign = { ...buildSet('a'), apiVersion: 'example.com/v1' }
    expect(await reported(write('a.json', foreign))).toEqual([expect.stringContaining('it contains no Helm values')])
  })

  it('never reads a Secret', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: 'c2VjcmV0' } }
    const { snapshot } = await read(write('a.json', LIST('List', [secret, buildSet('a')])))
    expect(JSON.stringify([...snapshot.lists])).not.toContain('c2VjcmV0')
  })

  it('reads the fleet file, and takes the namespace of values from it', async () => {
    write('values-linux.yaml', VALUES)
    write(
      'fleet.yaml',
      'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nspec:\n  runnerNamespaces: [ci]\n  lanes:\n    - { label: linux, declaredMax: 5 }\n',
    )
    const { snapshot } = await read(folder)
    const fleet = readFleet(snapshot)
    expect(fleet.sets).toMatchObject([{ name: 'linux', namespace: 'ci' }])
    expect(runAudit(contract, fleet, WHOLE_FLEET).findings.map((one) => one.class)).toContain('envelope-mismatch')
    expect(snapshot.remarks?.get('kubernetes/autoscalingrunnersets')).toContain('assumed ci')
  })

  it('reads the update strategy from the values of the controller', async () => {
    write('controller.yaml', 'flags:\n  updateStrategy: eventual\n')
    write('values-linux.yaml', `${VALUES}minRunners: 1\n`)
    const { contract: report } = await audited(folder)
    expect(report.findings.map((one) => one.class)).toContain('eventual-with-warm-runners')
  })

  it.each([
    ['values-linux.yaml', 'linux'],
    ['linux-values.yaml', 'linux'],
    ['linux.yaml', 'linux'],
    ['linux/values.yaml', 'linux'],
    ['Big Lane.yaml', 'big-lane'],
  ])('names the release of %s %s', async (file, name) => {
    const { snapshot } = await read(write(file, VALUES))
    expect(readFleet(snapshot).sets.map((set) => set.name)).toEqual([name])
  })

  it('keeps two values files of the same name: that is a duplicate', async () => {
    write('one/values.yaml', `${VALUES}runnerScaleSetName: linux\n`)
    write('two/values.yaml', `${VALUES}runnerScaleSetName: linux\n`)
    const { contract: report } = await audited(folder)
    expect(report.findings.filter((one) => one.class === 'duplicate-scale-set')).toHaveLength(2)
  })

  it('counts an object that is given twice once', async () => {
    write('a.json', buildSet('a'))
    write('b.json', buildSet('a'))
    const reading = await read(folder, path.join(folder, 'a.json'))
    expect(reading.problems).toEqual([])
    expect(readFleet(reading.snapshot).sets).toHaveLength(1)
    write('c.json', buildSet('a', { spec: { maxRunners: 9 } }))
    expect(await reported(folder)).toEqual([
      'c.json: AutoscalingRunnerSet arc-runners/a is defined twice with different content; the first one is used',
    ])
  })

  it('has the time of the newest file', async () => {
    utimesSync(write('a.yaml', VALUES), 1_800_000_000, 1_800_000_000)
    utimesSync(write('b.yaml', VALUES), 1_700_000_000, 1_700_000_000)
    expect((await read(folder)).snapshot.now).toBe(1_800_000_000_000)
  })
})

describe('a file that cannot be read', () => {
  it.each([
    ['bad.yaml', 'a: 1\nb: [1\nc: 2\n', /^bad\.yaml:3:1: /],
    ['twice.yaml', 'maxRunners: 1\nmaxRunners: 2\n', /^twice\.yaml:2:1: Map keys must be unique/],
    [
      'template.yaml',
      'a: 1\n{{- if .Values.x }}\nb: 2\n{{- end }}\n',
      /^template\.yaml:2:\d+: .*output of helm template/,
    ],
    ['bad.json', '{\n "kind": "Node",\n "a" 1\n}', /^bad\.json:3:\d+: /],
    ['alias.yaml', 'githubConfigUrl: *nowhere\n', /^alias\.yaml:1:1: /],
    ['other.yaml', 'services:\n  web: {}\n', /^other\.yaml: it contains no Helm values/],
    ['list.yaml', '- a\n- b\n', /^list\.yaml: it contains no Helm values/],
    ['empty.yaml', '', /^empty\.yaml: it contains no Helm values/],
  ])('is reported with its position: %s', async (name, text, expected) => {
    expect((await reported(write(name, text))).join('\n')).toMatch(expected)
  })

  it('is reported if it does not exist', async () => {
    expect(await reported(path.join(folder, 'gone.yaml'))).toEqual(['gone.yaml: no such file or folder'])
  })

  it('does not affect the other files, but the answer is blind', async () => {
    write('good.yaml', VALUES)
    write('bad.yaml', 'a: [\n')
    const { contract: report } = await audited(folder)
    expect(report.findings.map((one) => one.class)).toContain('limits-missing')
    expect(report.isBlind).toBe(true)
  })

  it('keeps the other documents of the same file', async () => {
    const { snapshot, problems } = await read(
      write('a.yaml', `${JSON.stringify(buildSet('a'))}\n---\nb: [1\n---\n${JSON.stringify(buildSet('c'))}\n`),
    )
    expect(problems).toHaveLength(1)
    expect(readFleet(snapshot).sets.map(({ name }) => name)).toContain('a')
  })

  it('cannot use up the memory', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(', ')}]`,
    )
    const bomb = `a0: &a0 [x, x]\n${rows.join('\n')}\n${VALUES}`
    expect((await reported(write('bomb.yaml', bomb))).join('\n')).toMatch(/alias/i)
  })

  it('is a node without allocatable amounts', async () => {
    write('node.yaml', 'apiVersion: v1\nkind: Node\nmetadata: { name: a }\nstatus: { allocatable: { cpu: 4 } }\n')
    write('set.json', buildSet('a'))
    expect(await reported(folder)).toEqual(['node.yaml: Node a lacks cpu, memory or pods in status.allocatable'])
    expect((await audited(folder)).capacity.isBlind).toBe(true)
  })

  it('is a fleet file with a mistake, reported with its line', async () => {
    write('values.yaml', VALUES)
    write(
      'fleet.yaml',
      'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nspec:\n  lanes:\n    - label: linux\n      declaredMax: many\n',
    )
    expect((await reported(folder)).join('\n')).toMatch(/^fleet\.yaml:6:20: spec\.lanes\.0\.declaredMax: /)
    expect((await audited(folder)).contract.isBlind).toBe(true)
  })

  it('is a second fleet file', async () => {
    for (const name of ['a.yaml', 'b.yaml']) write(name, 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\n')
    expect((await reported(folder)).join('\n')).toMatch(/^b\.yaml: second fleet file/)
  })
})

describe('a folder', () => {
  it('skips hidden folders, node_modules, links and chart templates', async () => {
    write('chart/Chart.yaml', 'name: gha-runner-scale-set\n')
    write('chart/values.yaml', VALUES)
    write('chart/templates/a.yaml', '{{ broken')
    write('.git/a.yaml', 'a: [')
    write('node_modules/a.yaml', 'a: [')
    write('notes.txt', 'a: [')
    write('tsconfig.json', '{ "a": 1,, "b": [ }')
    symlinkSync('/etc', path.join(folder, 'linked'))
    symlinkSync(path.join(folder, '.git/a.yaml'), path.join(folder, 'linked.yaml'))
    const { problems, files } = await read(folder)
    expect(problems).toEqual([])
    expect(files.map(({ file }) => path.relative(folder, file))).toEqual(['chart/values.yaml'])
  })

  it('is reported if it has nothing that an audit reads', async () => {
    write('docker-compose.yaml', 'services: {}\n')
    expect((await reported(folder)).join('\n')).toMatch(/no file contains anything that an audit reads/)
  })

  it('stops when it is aborted', async () => {
    write('a.yaml', VALUES)
    const stop = new AbortController()
    stop.abort(new Error('stopped'))
    await expect(readSources([folder], stop.signal)).rejects.toThrow('stopped')
  })
})
