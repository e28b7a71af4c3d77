import { describe, expect, it } from 'vitest'
import { isJobRow, isRunnerRow, parseRows } from './parse-source.ts'

const runners = parseRows('runners', isRunnerRow)
const runner = { id: 1, name: 'a', status: 'online', busy: true }
const readKind = (value: unknown) => runners(JSON.stringify(value)).kind

describe("GitHub's list of runners", () => {
  it.each([
    ['as GitHub answers', { total_count: 1, runners: [runner] }],
    ['as an array', [runner]],
    [
      'page by page, as gh --slurp prints it',
      [
        { total_count: 2, runners: [runner] },
        { total_count: 2, runners: [runner] },
      ],
    ],
  ])('is read %s', (_title, value) => {
    expect(readKind(value)).toBe('seen')
  })

  it.each([
    [
      'a page is missing',
      [
        { total_count: 3, runners: [runner] },
        { total_count: 3, runners: [runner] },
      ],
    ],
    ['its total, as a text, is above its rows', { total_count: '10', runners: [runner] }],
    ['a row has no status', { total_count: 1, runners: [{ id: 1, name: 'a', busy: false }] }],
    ['a row does not say whether it is busy', { total_count: 1, runners: [{ ...runner, busy: null }] }],
    ['a row says it in words', { total_count: 1, runners: [{ ...runner, busy: 'true' }] }],
    ['a row has no name', { total_count: 1, runners: [{ ...runner, name: null }] }],
  ])('is blind where %s: nobody may be taken for idle by it', (_title, value) => {
    expect(readKind(value)).toBe('blind')
  })

  it('is none where it is complete and empty', () => {
    expect(readKind({ total_count: 0, runners: [] })).toBe('none')
  })
})

describe('the list of jobs', () => {
  it('is blind where a row has no status', () => {
    expect(parseRows('jobs', isJobRow)('[{"id":1}]').kind).toBe('blind')
  })
})
