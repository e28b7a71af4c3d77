import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { repository } from '#test/cli/run-signalbox.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-fleet-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args: readonly string[]) => runInProcess(args, { cwd: folder })
const recording = (name: string): string => path.join(repository, 'test/fleets/arc', `${name}.tar.gz`)
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text)
  return name
}

const RIGHT = 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\nspec:\n  lanes: [{ label: linux, declaredMax: 3 }]\n'

describe('signalbox fleet check', () => {
  it('exits with 0 and summarises a valid file', async () => {
    const { code, stdout } = await run('fleet', 'check', file('right.yaml', RIGHT))
    expect([code, stdout]).toEqual([0, 'right.yaml is valid: 1 lane, 0 node pools, 0 owners\n'])
  })

  it('exits with 1 and lists every mistake with its place', async () => {
    const { code, stdout } = await run('fleet', 'check', file('wrong.yaml', RIGHT.replace('lanes', 'lane')))
    expect([code, stdout]).toEqual([1, 'wrong.yaml:4:3: unknown key spec.lane; did you mean lanes?\n\n1 mistake\n'])
  })

  it('prints the same for programs', async () => {
    const { code, stdout } = await run(
      'fleet',
      'check',
      file('wrong.yaml', RIGHT.replace('lanes', 'lane')),
      '-o',
      'json',
    )
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        schemaVersion: 1,
        file: 'wrong.yaml',
        mistakes: [{ line: 4, column: 3, message: 'unknown key spec.lane', advice: 'did you mean lanes?' }],
      },
    ])
  })

  it('exits with 2 without a file', async () => {
    const { code, stdout, stderr } = await run('fleet', 'check', 'none.yaml')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('none.yaml: no such file')
  })
})

describe('signalbox fleet schema', () => {
  it('prints the schema that is published', async () => {
    const { code, stdout } = await run('fleet', 'schema')
    expect([code, stdout]).toEqual([0, readFileSync(path.join(repository, 'schemas/fleet.schema.json'), 'utf8')])
  })
})

describe('signalbox fleet init', () => {
  it('drafts a file from a bundle that passes fleet check', async () => {
    const { code, stdout } = await run('fleet', 'init', '--bundle', recording('0.14.2-healthy-idle'))
    expect(code).toBe(0)
    expect(stdout).toContain('controllerNamespace: arc-systems\n')
    expect(stdout).toMatch(
      / {4}- label: linux-x64\n {6}class: general\n {6}scaleSets: \[ linux-x64 \]\n {6}declaredMax: 8\n/,
    )
    expect(stdout).toContain('# 1 node; no taint keeps runners off')
    expect((await run('fleet', 'check', file('draft.yaml', stdout))).code).toBe(0)
  })

  it('replaces a file only with --force', async () => {
    const bundle = recording('0.14.2-healthy-idle')
    const target = file('mine.yaml', 'mine\n')
    const refused = await run('fleet', 'init', '--bundle', bundle, '-o', target)
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('mine.yaml already exists')
    expect(readFileSync(path.join(folder, target), 'utf8')).toBe('mine\n')
    const forced = await run('fleet', 'init', '--bundle', bundle, '-o', target, '--force')
    expect([forced.code, forced.stdout]).toEqual([0, ''])
    expect(readFileSync(path.join(folder, target), 'utf8')).toContain('kind: Fleet')
  })

  it('writes nothing when nothing was seen', async () => {
    const meta = { schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z', subject: {}, sources: {} }
    const empty = mkdtempSync(path.join(folder, 'empty-'))
    writeFileSync(path.join(empty, 'meta.json'), JSON.stringify(meta))
    const { code, stdout, stderr } = await run('fleet', 'init', '--bundle', empty)
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('cannot read the fleet from')
  })

  it('says what it could not see', async () => {
    const partial = mkdtempSync(path.join(folder, 'partial-'))
    const sources = {
      'kubernetes/nodes': { ok: false, reason: '403' },
      'kubernetes/autoscalingrunnersets': { ok: true },
    }
    const meta = { schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z', subject: {}, sources }
    writeFileSync(path.join(partial, 'meta.json'), JSON.stringify(meta))
    const kubernetes = path.join(partial, 'kubernetes')
    mkdirSync(kubernetes)
    writeFileSync(path.join(kubernetes, 'autoscalingrunnersets.json'), JSON.stringify({ items: [] }))
    const { code, stdout, stderr } = await run('fleet', 'init', '--bundle', partial)
    expect(code).toBe(0)
    expect(stdout).toContain(
      '# not readable, so not included: kubernetes/autoscalinglisteners, kubernetes/deployments, kubernetes/nodes',
    )
    expect(stderr).toContain('cannot read kubernetes/nodes')
  })
})
