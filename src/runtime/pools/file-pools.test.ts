import { describe, expect, it } from 'vitest'
import { declarePool } from '#/core/pools/declared-pools.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { readPools } from './file-pools.ts'

type Files = { pools: readonly RunnerPool[]; problems: readonly string[] }

/** One look for each state of the files. */
async function look(states: readonly Files[]) {
  const over = new AbortController()
  const waiting = [...states]
  const shown: string[] = []
  const said: string[] = []
  let changes = 0
  const say = (message: string): void => void said.push(message)
  const log = { debug: say, info: say, warn: say, error: say }
  const readFiles = async (): Promise<Files> => waiting.shift() ?? { pools: [], problems: [] }
  const sleep = async (): Promise<void> => {
    const declared = book.declared()
    shown.push(declared.kind === 'seen' ? declared.value.map(({ scope }) => scope).join(' ') : declared.kind)
    if (waiting.length === 0) over.abort()
  }
  const book = readPools(readFiles, { clock: { now: () => 0, sleep }, log })
  book.onChange(() => (changes += 1))
  await book.run(over.signal)
  return { shown, said, changes }
}

const linux = { pools: [declarePool('linux')], problems: [] }

describe('pools from files', () => {
  it('stay as they were while a file has a mistake', async () => {
    const broken = { pools: [], problems: ['pools.yaml:3: spec.labels is empty'] }
    const { shown, said } = await look([linux, broken, { pools: [declarePool('arm')], problems: [] }])
    expect(shown).toEqual(['runners/linux', 'runners/linux', 'runners/arm'])
    expect(said).toEqual(['the files of the pools have mistakes: the pools stay as they were'])
  })

  it('are not known where the first read finds a mistake', async () => {
    expect((await look([{ pools: [], problems: ['pools.yaml: cannot be read'] }])).shown).toEqual(['blind'])
  })

  it('are announced when they change, and not otherwise', async () => {
    const capped = declarePool('linux', {
      fairness: { weights: new Map(), caps: new Map([['acme', 1]]), priorities: new Map() },
    })
    expect((await look([linux, linux, { pools: [capped], problems: [] }])).changes).toBe(2)
  })
})
