import { describe, expect, it } from 'vitest'
import { servedFolder } from './serving-process.ts'

describe('a process that serves a data folder', () => {
  it.each([
    ['/x/bin/postgres -D /data/postgres/data -c port=2', '/data/postgres/data'],
    ['/x/bin/postgres -D /data/postgres/data', '/data/postgres/data'],
    ['/x/bin/postgres -D /data/with a space/data -c port=2', '/data/with a space/data'],
    ['tail -D /data/postgres/data ', null],
    ['postgres: checkpointer', null],
    ['', null],
  ])('names that folder in its command line: %s', (command, folder) => {
    expect(servedFolder(command)).toBe(folder)
  })
})
