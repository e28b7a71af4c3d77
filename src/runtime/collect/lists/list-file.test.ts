import { describe, expect, it } from 'vitest'
import { isNearTo, listFile } from './list-file.ts'

const pod = (name: string, namespace: string, nodeName = 'n1') => ({
  metadata: { name, namespace },
  spec: { nodeName },
})

function namesIn(content: unknown): readonly string[] {
  const list = JSON.parse(String(content)) as { kind: string; items: readonly { metadata: { name: string } }[] }
  expect(list.kind).toBe('List')
  return list.items.map(({ metadata }) => metadata.name)
}

describe('a list in a bundle', () => {
  it.each([0, 1, 3])('reads like one of kubectl with %d objects', (count) => {
    const items = Array.from({ length: count }, (_, index) => pod(`p${index}`, 'a'))
    const { file, remark } = listFile('pods', items)
    expect(file.path).toBe('kubernetes/pods.json')
    expect(namesIn(file.content)).toEqual(items.map(({ metadata }) => metadata.name))
    expect(remark).toBeNull()
  })

  it("keeps the subject's neighbours where not all fit in, and says so", () => {
    const items = [
      pod('far', 'x', 'n9'),
      pod('near', 'runners', 'n9'),
      pod('farther', 'y', 'n9'),
      pod('beside', 'z', 'n7'),
    ]
    const isNear = isNearTo(new Set(['runners']), new Set(['n7']))
    const { file, remark } = listFile('pods', items, { isNear, most: 220 })
    expect(namesIn(file.content)).toEqual(['near', 'beside', 'far'])
    expect(remark).toBe('only 3 of 4 objects fit in')
  })
})
