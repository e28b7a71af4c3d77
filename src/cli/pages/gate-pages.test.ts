import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { GATES } from '#/gates/index.ts'
import { POLICIES } from '#/core/interlock/policies/index.ts'
import { gateIndex, gatePage } from './gate-pages.ts'

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'docs', 'gates')

describe('docs/gates', () => {
  it.each(GATES.map((gate) => [gate.id, gate] as const))('%s matches its file and its examples', async (id, gate) => {
    await expect(gatePage(gate)).toMatchFileSnapshot(path.join(folder, `${id}.md`))
  })

  it('has an index that matches the gates', async () => {
    await expect(gateIndex(GATES, POLICIES)).toMatchFileSnapshot(path.join(folder, 'README.md'))
  })

  it('has no page of a removed gate', () => {
    const pages = new Set(['README.md', ...GATES.map(({ id }) => `${id}.md`)])
    expect(readdirSync(folder).filter((name) => !pages.has(name))).toEqual([])
  })
})
