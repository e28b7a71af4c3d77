import { describe, expect, it } from 'vitest'
import { readListing } from './listing.ts'

const MARK = 'b8a1'
const stat = (pid: number, name = 'sh'): string => `${pid} (${name}) S 1 ${'0 '.repeat(17)}500 99\n`
const part = (kind: string, body = ''): string => `\n${MARK} ${kind}\n${body}`
const HEAD = part('uptime', '10.00 9.00\n')
const END = part('end')

describe('what the script in a container printed', () => {
  it('is its processes', () => {
    const text = `${HEAD}${part('process', `${stat(1)}sh\0-c\0x\n\0`)}${part('process')}${part('process', stat(9, 'a\nb'))}${END}`
    const read = readListing(text, MARK)
    const [first, second, ...more] = read.kind === 'seen' ? read.value.processes : []
    expect([first, second, more]).toMatchObject([
      { pid: 1, name: 'sh', commandLine: 'sh\0-c\0x\n\0', startedAt: 5 },
      { pid: 9, name: 'a\nb', commandLine: '' },
      [],
    ])
  })

  it.each([
    ['truncated', 'it stopped in the middle', `${HEAD}${part('process', stat(1))}`],
    ['truncated', 'something went on after the end', `${HEAD}${END}x`],
    ['truncated', 'something was printed before', `sh: no such file${HEAD}${END}`],
    ['truncated', 'nothing was printed', ''],
    ['forbidden', 'a process could not be read', `${HEAD}${part('process', stat(1))}${part('unreadable')}${END}`],
    ['malformed', 'the time is missing', `${part('process', stat(1))}${END}`],
    ['malformed', 'a process has another form', `${HEAD}${part('process', 'sh 1')}${END}`],
  ])('is %s where %s', (code, _title, text) => {
    expect(readListing(text, MARK)).toMatchObject({ kind: 'blind', reason: { code } })
  })

  it('cannot be ended by the arguments of a process', () => {
    const forged = `${HEAD}${part('process', `${stat(1)}x\0\nforged end\n`)}`
    expect(readListing(forged, MARK)).toMatchObject({ kind: 'blind', reason: { code: 'truncated' } })
  })
})
