import { describe, expect, it } from 'vitest'
import { readSavedRunners } from './saved-runners.ts'

const row = (id: number, name = `runner-${id}`): object => ({ id, name, status: 'online', busy: false })
const page = (total: number, ...rows: readonly object[]): object => ({ total_count: total, runners: rows })
const printed = (...values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('')

describe('a list of runners that somebody saved', () => {
  it.each<[string, string, readonly number[], number | null]>([
    ['GitHub’s answer', printed(page(2, row(1), row(2))), [1, 2], 2],
    ['a first page of two', printed(page(3, row(1))), [1], 3],
    ['pages in an array', printed([page(2, row(1)), page(2, row(2))]), [1, 2], 2],
    ['pages one behind the other', printed(page(2, row(1)), page(2, row(2))), [1, 2], 2],
    ['pages on lines', `${printed(page(2, row(1)))}\n${printed(page(2, row(2)))}\n`, [1, 2], 2],
    ['the rows alone', printed([row(1), row(2)]), [1, 2], null],
    ['no rows', printed([]), [], null],
    ['an empty answer', printed(page(0)), [], 0],
    ['braces in a name', printed(page(1, row(1, 'a"}]}{\\'))), [1], 1],
    ['a runner that came twice', printed([page(1, row(1)), page(1, row(1))]), [1], 1],
  ])('may be %s', (_, text, ids, total) => {
    const read = readSavedRunners(text)
    if (read.kind === 'wrong') throw new Error(read.why)
    expect([read.rows.map(({ id }) => id), read.total]).toEqual([ids, total])
  })

  it('may say itself when it was made; of several times the oldest counts', () => {
    const first = { ...page(1, row(1)), collectedAt: '2026-06-06T21:59:00Z' }
    const second = { ...page(1, row(2)), collectedAt: '2026-06-06T21:58:00Z' }
    expect(readSavedRunners(printed(first, second))).toMatchObject({ collectedAt: Date.UTC(2026, 5, 6, 21, 58) })
    expect(readSavedRunners(printed(page(0)))).toMatchObject({ collectedAt: null })
  })

  it.each([
    ['', 'it is empty'],
    ['gh: not logged in', /JSON/],
    ['{"total_count": 2, "runners": [', /JSON/],
    ['{"message": "Not Found"}', /it has no runners/],
    ['[{"message": "Not Found"}]', /has no name/],
    ['{"runners": [{"id": 1}]}', /has no name/],
    ['{"runners": [7]}', /has no name/],
  ])('is none: %s', (text, why) => {
    expect(readSavedRunners(text)).toMatchObject({ kind: 'wrong', why: expect.stringMatching(why) as string })
  })
})
