import { describe, expect, it } from 'vitest'
import { findWorker, readProcesses } from '#/core/interlock/processes.ts'
import { MOST_PROCESSES, printProcesses } from './print-processes.ts'
import type { ReadProcess } from './print-processes.ts'
import { readStat, readUptime } from './process-stat.ts'

const LISTENER = '/home/runner/bin/Runner.Listener\0run\0'
const terms = { uptime: 1000, redact: (text: string) => text.replaceAll('secret', '***') }

function process(pid: number, commandLine: string, more: Partial<ReadProcess> = {}): ReadProcess {
  return { pid, parent: 1, name: 'x', isZombie: false, startedAt: 900, commandLine, ...more }
}

function printed(...processes: readonly ReadProcess[]): string {
  const text = printProcesses(processes, terms)
  return text.kind === 'seen' ? text.value : text.kind
}

describe('the processes of a container, printed', () => {
  it('are what the gate reads, in order', () => {
    const text = printed(process(18, LISTENER), process(4, '/bin/bash\0/home/runner/run.sh\0'))
    expect(readProcesses(text)).toEqual({
      kind: 'seen',
      value: ['4 1 100 /bin/bash /home/runner/run.sh', '18 1 100 /home/runner/bin/Runner.Listener run'],
    })
  })

  it.each<readonly [string, ReadProcess, string]>([
    ['arguments with line feeds are one line', process(7, 'sh\0-c\0a\n9 9 9 b\0'), '7 1 100 sh -c a 9 9 9 b'],
    ['a secret is not shown', process(7, 'curl\0-u\0secret\0'), '7 1 100 curl -u ***'],
    ['a process without arguments has its name', process(7, ''), '7 1 100 [x]'],
    ['a zombie is defunct', process(7, '', { isZombie: true }), '7 1 100 [x] <defunct>'],
    ['a clock that went back gives no negative age', process(7, 'a\0', { startedAt: 2000 }), '7 1 0 a'],
  ])('%s', (_title, one, row) => {
    expect(printed(one).split('\n')[1]).toBe(row)
  })

  it.each<readonly [string, ReadProcess]>([
    ['is far behind in a long command line', process(7, `dotnet\0${'x'.repeat(5000)}\0Runner.Worker.dll\0`)],
    ['has another name as its first argument', process(7, 'worker\0', { name: 'Runner.Worker' })],
    ['is hidden by the redaction', process(7, 'secretRunner.Worker\0')],
    ['is a zombie', process(7, '', { name: 'Runner.Worker', isZombie: true })],
  ])('show a worker that %s', (_title, worker) => {
    const hiding = { ...terms, redact: (text: string) => text.replaceAll(/secret\S+/g, '***') }
    const text = printProcesses([process(2, LISTENER), worker], hiding)
    const read = text.kind === 'seen' ? readProcesses(text.value) : text
    expect(read.kind === 'seen' ? findWorker(read.value) : read).toContain('Runner.Worker')
    expect(text.kind === 'seen' ? text.value.length : 0).toBeLessThan(600)
  })

  it('are blind if there are too many: a part proves nothing', () => {
    const many = Array.from({ length: MOST_PROCESSES + 1 }, (_, pid) => process(pid, 'a\0'))
    expect(printProcesses(many, terms)).toMatchObject({ kind: 'blind', reason: { code: 'too-large' } })
  })
})

describe('a line of /proc/PID/stat', () => {
  const line = (name: string, state = 'S'): string => `42 (${name}) ${state} 7 ${'0 '.repeat(17)}12345 99\n`

  it.each([['sh'], ['a b'], ['a) S 1 (b'], ['a\nb']])('is read with the name %j', (name) => {
    expect(readStat(line(name))).toEqual({ pid: 42, parent: 7, name, isZombie: false, startedAt: 123.45 })
  })

  it.each([
    ['Z', true],
    ['X', true],
    ['D', false],
  ])('in the state %s is a zombie: %s', (state, isZombie) => {
    expect(readStat(line('a', state))).toMatchObject({ isZombie })
  })

  it.each(['', '42 sh S 1', '42 (sh) S 1', 'x (sh) S 7 0'])('is not %j', (text) => {
    expect(readStat(text)).toBeNull()
  })

  it('has its time from /proc/uptime', () => {
    expect([readUptime('123.45 99.1\n'), readUptime('no\n')]).toEqual([123.45, null])
  })
})
