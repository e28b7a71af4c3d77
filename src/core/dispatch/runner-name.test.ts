import { expect, it } from 'vitest'
import { nameRunner } from './runner-name.ts'

it('names a runner by its pod and a fresh mark, within the 64 characters of GitHub', () => {
  expect(nameRunner('linux-x7k2p', '0123abcdef')).toBe('linux-x7k2p-0123abcd')
  const long = nameRunner('a'.repeat(63), '0123abcdef')
  expect([long.length, long.slice(54)]).toEqual([64, 'a-0123abcd'])
})
