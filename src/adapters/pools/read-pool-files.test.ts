import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readRunnerPool } from '#/core/pools/read-runner-pool.ts'
import { readPoolFiles } from './read-pool-files.ts'

const POOL = `apiVersion: signalbox.dev/v1alpha1
kind: RunnerPool
metadata: { name: linux, namespace: runners }
spec:
  labels: [linux]
  github: { owner: acme, repositories: [app], credential: app }
  size: { max: 3 }
  template:
    spec: { containers: [{ name: runner, image: runner }] }
`
let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pool-files-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text)
const read = async (name = '.') => {
  const { pools, problems } = await readPoolFiles(path.join(folder, name), AbortSignal.timeout(30_000))
  return {
    pools: pools.map(({ namespace, name: pool }) => `${namespace}/${pool}`),
    problems: problems.map(({ file, line, why }) => `${path.basename(file)}:${line ?? ''} ${why}`),
  }
}

describe('readPoolFiles', () => {
  it('reads a file of several pools, and all files of a folder', async () => {
    write('a.yaml', `${POOL}---\n${POOL.replace('name: linux', 'name: large')}`)
    write('b.yml', POOL.replace('namespace: runners', 'namespace: other'))
    expect(await read('a.yaml')).toEqual({ pools: ['runners/linux', 'runners/large'], problems: [] })
    expect((await read()).pools).toEqual(['runners/linux', 'runners/large', 'other/linux'])
  })

  it.each([
    ['a mistake in a field', POOL.replace('max: 3', 'max: 0'), 'a.yaml:7 spec.size.max is 0; write a whole number'],
    ['a mistake in a list', POOL.replace('[linux]', '["a b"]'), 'a.yaml:5 spec.labels[0] is "a b"'],
    ['another kind', POOL.replace('kind: RunnerPool', 'kind: Pod'), 'a.yaml:2 kind is not RunnerPool'],
    ['another version', POOL.replace('v1alpha1', 'v2'), 'a.yaml:1 apiVersion is not signalbox.dev/v1alpha1'],
    ['no namespace', POOL.replace(', namespace: runners', ''), 'a.yaml:3 metadata.namespace is required'],
    ['no YAML', 'a: [', 'a.yaml:'],
    ['nothing', '# nothing yet\n', 'has no RunnerPool'],
  ])('says where %s is', async (_title, text, problem) => {
    write('a.yaml', text)
    const { pools, problems } = await read('a.yaml')
    expect(pools).toEqual([])
    expect(problems.join('\n')).toContain(problem)
  })

  it('keeps the pools that are right, and the first of a name', async () => {
    write('a.yaml', POOL)
    write('b.yaml', `${POOL}---\n${POOL.replace('name: linux', 'name: bad').replace('max: 3', 'max: x')}`)
    expect(await read()).toEqual({
      pools: ['runners/linux'],
      problems: [
        'b.yaml:3 metadata.name is linux again in runners',
        'b.yaml:17 spec.size.max is "x"; write a whole number from 1 to 100000',
      ],
    })
  })

  it('says that a file is not there', async () => {
    expect((await read('none.yaml')).problems).toEqual(['none.yaml: no such file or folder'])
  })
})

describe('the examples of docs/pools.md', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '..', '..', '..', 'docs', 'pools.md'), 'utf8')
  const examples = [...text.matchAll(/```yaml\n(apiVersion: signalbox\.dev[\s\S]*?)```/g)].map(([, yaml = '']) => yaml)

  it('are right', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2)
    for (const example of examples) expect(readRunnerPool(parse(example))).toMatchObject({ kind: 'valid' })
  })
})
