import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { AppFailure } from '#/app/part/failure.ts'
import { CommandFailure } from './command-failure.ts'
import type { CommandContext } from './context.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import type { Group, Leaf } from './command.ts'
import { runCommandLine } from './run.ts'
import type { ConfigOutcome, ConfigRequest } from '#/config/load.ts'

type Setup = {
  readonly run: (context: CommandContext) => Promise<ExitCode>
  readonly argv?: readonly string[]
  readonly leaf?: Partial<Leaf>
  readonly stopped?: ExitCode
  readonly loadConfig?: (request: ConfigRequest) => Promise<ConfigOutcome>
}

const noConfig = (): Promise<ConfigOutcome> => Promise.resolve({ kind: 'invalid', problems: [] })

async function outcome({ run, argv = ['act'], leaf = {}, stopped, loadConfig = noConfig }: Setup) {
  const act: Leaf = {
    kind: 'leaf',
    name: 'act',
    summary: '',
    description: '',
    examples: [],
    flags: {},
    positionals: [],
    exitCodes: {},
    load: () => Promise.resolve({ run }),
    ...leaf,
  }
  const root: Group = { kind: 'group', name: 'box', summary: '', description: '', commands: [act] }
  let err = ''
  const sink = { write: (text: string) => (err += text) }
  const code = await runCommandLine({
    argv,
    root,
    stdout: sink,
    stderr: sink,
    terminalOptions: { colour: false, dumb: true },
    workingFolder: '/',
    stop: { signal: AbortSignal.abort(), exitCode: () => stopped ?? null },
    clock: systemClock,
    loadConfig,
  })
  return { code, err }
}

describe('runCommandLine', () => {
  it('gives the exit code of the command', async () => {
    expect(await outcome({ run: async () => EXIT.refused })).toEqual({ code: 4, err: '' })
  })

  it('prints in one line what failed, and what to do next', async () => {
    const run = () => Promise.reject(new CommandFailure(EXIT.blind, 'nothing answers', ['try again']))
    expect(await outcome({ run })).toEqual({ code: 3, err: 'signalbox: nothing answers\n  try again\n' })
  })

  it.each([
    ['configuration', EXIT.usage],
    ['failed', EXIT.failed],
  ] as const)('prints an app failure (%s) with advice, and exits with %i', async (kind, code) => {
    const run = () => Promise.reject(new AppFailure(kind, 'no certificates', ['use a PEM file']))
    expect(await outcome({ run })).toEqual({ code, err: 'signalbox: no certificates\n  use a PEM file\n' })
  })

  it('shows a stack trace only with -v, and never a secret', async () => {
    const run = () => Promise.reject(new Error('cannot reach postgres://me:hunter2@db'))
    const quiet = await outcome({ run })
    expect(quiet).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^signalbox: cannot reach postgres:\/\/‹redacted:url-credential›@db\n {2}this is a bug/,
      ) as string,
    })
    const loud = await outcome({ run, argv: ['act', '-v'] })
    expect(loud.err).toContain('run.test.ts')
    expect(quiet.err + loud.err).not.toContain('hunter2')
  })

  it('prints no errors that are caused by a stop', async () => {
    const run = () => Promise.reject(new Error('aborted'))
    expect(await outcome({ run, stopped: EXIT.interrupted })).toEqual({ code: 130, err: '' })
  })

  it('exits with the code of the signal, except for a command that runs until stopped', async () => {
    const run = async (): Promise<ExitCode> => EXIT.ok
    expect((await outcome({ run, stopped: EXIT.interrupted })).code).toBe(130)
    expect((await outcome({ run, stopped: EXIT.interrupted, leaf: { untilStopped: true } })).code).toBe(0)
  })

  it('exits with 2 and every mistake when the configuration is invalid, and loads it only when needed', async () => {
    const problems = [{ where: 'f:1', message: 'no such setting: x', meant: ['y', 'z'] }]
    const loadConfig = (): Promise<ConfigOutcome> => Promise.resolve({ kind: 'invalid', problems })
    const run = async (context: CommandContext): Promise<ExitCode> => {
      await context.config()
      return EXIT.ok
    }
    expect(await outcome({ run, loadConfig })).toEqual({
      code: 2,
      err: 'signalbox: the configuration is invalid\n  f:1: no such setting: x; did you mean y or z?\n  see: signalbox config schema\n',
    })
    expect((await outcome({ run: async () => EXIT.ok, loadConfig })).code).toBe(0)
  })

  it('passes settings from flags to the configuration', async () => {
    let asked: ConfigRequest | undefined
    const loadConfig = (request: ConfigRequest): Promise<ConfigOutcome> => {
      asked = request
      return noConfig()
    }
    const run = async (context: CommandContext): Promise<ExitCode> => {
      await context.config()
      return EXIT.ok
    }
    const leaf = {
      flags: { 'database-url': { kind: 'option', value: 'URL', summary: '', sets: { path: 'databaseUrl' } } } as const,
    }
    await outcome({
      run,
      leaf,
      loadConfig,
      argv: ['act', '-n', 'a', '-n', 'b', '--config', 'c', '--database-url', 'u'],
    })
    expect(asked).toEqual({
      file: 'c',
      workingFolder: '/',
      flags: [
        { path: 'kubernetes.namespaces', text: 'a,b', flag: '--namespace' },
        { path: 'databaseUrl', text: 'u', flag: '--database-url' },
      ],
    })
  })
})
