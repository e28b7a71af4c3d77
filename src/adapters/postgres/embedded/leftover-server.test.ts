import { describe, expect, it } from 'vitest'
import { servesFolder } from './leftover-server.ts'

describe('a process that serves a data folder', () => {
  it.each([
    ['/x/bin/postgres -D /data/postgres/data -c port=2', true],
    ['/x/bin/postgres -D /data/postgres/data', true],
    ['/x/bin/postgres -D /data/postgres/data-2 -c port=2', false],
    ['/x/bin/postgres -D /other -c port=2', false],
    ['tail -D /data/postgres/data ', false],
    ['postgres: checkpointer', false],
    ['', false],
  ])('is recognised by its command line: %s', (command, serves) => {
    expect(servesFolder(command, '/data/postgres/data')).toBe(serves)
  })
})
