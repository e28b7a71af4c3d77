import { describe, expect, it } from 'vitest'
import { findWorker, readProcesses } from './processes.ts'

const HEADER = '    PID    PPID ELAPSED COMMAND\n'
const SHELL = '      1       0   20098 /bin/bash /home/runner/run.sh\n'
const LISTENER = '     18      14   20095 /home/runner/bin/Runner.Listener run\n'
const WORKER = '   4211      18     881 /home/runner/bin/Runner.Worker spawnclient 121 124\n'

describe('the processes of a runner container', () => {
  it('are those of ps, without its header', () => {
    const read = readProcesses(HEADER + SHELL + LISTENER)
    expect(read).toEqual({
      kind: 'seen',
      value: [
        '1       0   20098 /bin/bash /home/runner/run.sh',
        '18      14   20095 /home/runner/bin/Runner.Listener run',
      ],
    })
  })

  it('show the worker that executes a job', () => {
    const read = readProcesses(HEADER + SHELL + LISTENER + WORKER)
    expect(read.kind === 'seen' && findWorker(read.value)).toContain('Runner.Worker spawnclient')
    const idle = readProcesses(SHELL + LISTENER)
    expect(idle.kind === 'seen' && findWorker(idle.value)).toBe(null)
  })

  it('may end without a newline', () => {
    expect(readProcesses((SHELL + LISTENER).trimEnd()).kind).toBe('seen')
  })

  it.each([
    ['an empty file', ''],
    ['a header alone', HEADER],
    ['an error of kubectl', 'error: unable to upgrade connection: container not found ("runner")\n'],
    ['an error of a shell', 'sh: 1: ps: not found\n'],
    ['the processes of a Docker daemon', `${HEADER}      1       0   900 dockerd --host=unix:///var/run/docker.sock\n`],
    ['a list that breaks off', `${HEADER}${SHELL}${LISTENER}   4211      1`],
  ])('are not known from %s', (_what, text) => {
    expect(readProcesses(text).kind).toBe('blind')
  })
})
