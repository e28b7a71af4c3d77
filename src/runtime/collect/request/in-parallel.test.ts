import { describe, expect, it } from 'vitest'
import { inParallel } from './in-parallel.ts'

describe('work in parallel', () => {
  it('has never more under way than it may, and gives everything once', async () => {
    let underWay = 0
    let most = 0
    const results: number[] = []
    const work = async (item: number): Promise<number> => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setTimeout(resolve, item % 3))
      underWay -= 1
      return item
    }
    const items = Array.from({ length: 50 }, (_, index) => index)
    for await (const result of inParallel(items, 4, work)) results.push(result)
    expect(most).toBe(4)
    expect(results.toSorted((a, b) => a - b)).toEqual(items)
  })

  it('does not let one that hangs hold up the others', async () => {
    const first = Promise.withResolvers<string>()
    const results: string[] = []
    const work = (item: string): Promise<string> => (item === 'hangs' ? first.promise : Promise.resolve(item))
    for await (const result of inParallel(['hangs', 'a', 'b', 'c'], 2, work)) {
      results.push(result)
      if (result === 'c') first.resolve('hangs')
    }
    expect(results).toEqual(['a', 'b', 'c', 'hangs'])
  })

  it('fails with what fails, and is content with nothing', async () => {
    const failing = inParallel([1, 2], 2, () => Promise.reject(new Error('broken')))
    await expect(failing.next()).rejects.toThrow('broken')
    expect(await inParallel([], 2, async () => 1).next()).toMatchObject({ done: true })
  })
})
