import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examine, sortSuites } from './suites.ts'

const suites = sortSuites(resolve(import.meta.dirname, '..', '..'))
const reaches = (text: string): readonly string[] => examine('src/core/a.test.ts', text, () => true).reaches

describe('where a suite runs', () => {
  it('is a shared thread if it uses nothing outside', () => {
    expect(suites.units).toContain('src/core/basics/literal-automaton.test.ts')
    expect(suites.units.length).toBeGreaterThan(suites.processes.length)
  })

  it('is its own process if it does', () => {
    expect(suites.processes).toContain('src/adapters/postgres/leader.test.ts')
    expect(suites.processes).toContain('test/cli/process.test.ts')
    expect(suites.processes).toContain('src/sim/github/access/rate-limit.test.ts')
  })

  it('is also the long run if a fast one samples it', () => {
    expect(suites.long).toContain('test/bundles/mutated.test.ts')
    expect(suites.long).toContain('src/core/redaction/redaction.test.ts')
    expect(suites.long).not.toContain('src/adapters/postgres/leader.test.ts')
  })

  it('is one place only, and never with the suites on a cluster', () => {
    expect(suites.units.filter((suite) => suites.processes.includes(suite))).toEqual([])
    expect(
      [...suites.units, ...suites.processes, ...suites.long].filter((suite) => suite.includes('.cluster.')),
    ).toEqual([])
  })
})

describe('what reaches outside', () => {
  it.each([
    [`import { spawn } from 'node:child_process'`],
    [`import { createServer } from 'node:http'`],
    [`import { setTimeout as sleep } from 'node:timers/promises'`],
    [`import { Pool } from 'pg'`],
    [`const { Agent } = await import('undici')`],
    ['vi.mock(import("./a.ts"))'],
    ['vi.useFakeTimers()'],
    ['setTimeout(done, 10)'],
    ['await fetch(url)'],
    ['const now = Date.now()'],
    [`process.env['HOME'] = '/'`],
    ['process.chdir(folder)'],
    ['const before = process.cpuUsage()'],
    ['globalThis.fetch = fake'],
  ])('%s', (line) => {
    expect(reaches(`${line}\n`)).not.toEqual([])
  })

  it.each([
    [`import type { Pool } from 'pg'`],
    [`import { readFileSync } from 'node:fs'`],
    ['// a fetch(url) in a comment'],
    ['await app.fetch(request)'],
    ['const at = new Date(0)'],
  ])('is not %s', (line) => {
    expect(reaches(`${line}\n`)).toEqual([])
  })

  it('is found behind every import of ours', () => {
    const text = `import { a } from '#/core/a.ts'\nimport './b.ts'\nexport { c } from '#test/c.ts'\nawait import('#/d.ts')\n`
    const { imports } = examine('test/x/a.test.ts', text, () => true)
    expect(imports).toEqual(['src/core/a.ts', 'test/x/b.ts', 'test/c.ts', 'src/d.ts'])
  })
})
