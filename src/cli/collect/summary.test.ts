import { describe, expect, it } from 'vitest'
import { summarise } from '#/cli/collect/summary.ts'
import type { SourceAnswer } from '#/core/evidence/bundle-meta.ts'

const looked: SourceAnswer = { kind: 'looked', coverage: { from: 1, to: null, remark: null } }
const blind: SourceAnswer = { kind: 'blind', reason: 'timeout: no answer' }

function shown(sources: readonly (readonly [string, SourceAnswer])[]) {
  const meta = { collectedAt: 0, subject: {}, sources: new Map(sources) }
  const { view, blind: unseen } = summarise({ path: 'b', files: 1, bytes: 1, meta })
  const [section] = view.sections
  const rows = section !== undefined && 'table' in section ? (section.table?.rows ?? []) : []
  return { rows: rows.map(([source]) => source), unseen, data: view.data as { readonly sources: readonly object[] } }
}

describe('the summary of a bundle', () => {
  it('has one row for many seen nodes, and one for each blind node', () => {
    const nodes = Array.from({ length: 30 }, (_, index) => `kubernetes/stats/n${index}`)
    const { rows, unseen, data } = shown([
      ['kubernetes/pods', looked],
      ...nodes.map((name, index) => [name, index === 7 ? blind : looked] as const),
    ])
    expect(rows).toEqual(['kubernetes/pods', 'kubernetes/stats/… (29)', 'kubernetes/stats/n7'])
    expect(unseen).toEqual([{ source: 'kubernetes/stats/n7', reason: 'timeout: no answer' }])
    expect(data.sources).toHaveLength(31)
  })

  it('has a row for each when there are few', () => {
    const { rows } = shown(['logs', 'logs/a/b/c', 'logs/a/b/d'].map((name) => [name, looked] as const))
    expect(rows).toEqual(['logs', 'logs/a/b/c', 'logs/a/b/d'])
  })
})
