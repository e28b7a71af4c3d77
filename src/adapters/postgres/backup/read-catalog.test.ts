import { expect, it } from 'vitest'
import { inLoadOrder } from './read-catalog.ts'

it('puts a table after those that it refers to', () => {
  const references = [
    { table: 'a', needs: 'c' },
    { table: 'c', needs: 'b' },
  ]
  expect(inLoadOrder(['a', 'b', 'c', 'd'], references)).toEqual(['b', 'd', 'c', 'a'])
})

it('keeps every table when they refer to each other in a circle', () => {
  const references = [
    { table: 'a', needs: 'b' },
    { table: 'b', needs: 'a' },
  ]
  expect(inLoadOrder(['b', 'a', 'c'], references)).toEqual(['c', 'a', 'b'])
})
