import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { runCommand } from './run-command.ts'

const account = { kind: 'self' } as const

function run(program: string, args: readonly string[], timeoutMs = 30_000, signal = new AbortController().signal) {
  return runCommand({ program, args, account, timeoutMs, signal })
}

describe('a command', () => {
  it('answers with what it wrote and whether it went well', async () => {
    expect(await run('sh', ['-c', 'echo out; echo err >&2'])).toEqual({ ok: true, output: 'out\nerr' })
    expect(await run('sh', ['-c', 'echo no; exit 3'])).toEqual({ ok: false, output: 'no' })
  })

  it('keeps only the end of a long output', async () => {
    const { output } = await run('sh', ['-c', 'yes line | head -n 100000; echo end'])
    expect(output.length).toBeLessThanOrEqual(8192)
    expect(output.endsWith('line\nend')).toBe(true)
  })

  it('sees nothing of our environment and not the folder that we were started in', async () => {
    const { output } = await run('sh', ['-c', 'pwd; env'])
    expect(
      output
        .split('\n')
        .filter((line) => !/^(?:PWD|OLDPWD|SHLVL|_)=/u.test(line))
        .toSorted(),
    ).toEqual(['/', 'LC_ALL=C', 'PATH=/usr/local/bin:/usr/bin:/bin'])
  })

  it('is ended when its time is over or by its signal', async () => {
    expect((await run('sleep', ['600'], 50)).ok).toBe(false)
    expect((await run('sleep', ['600'], 60_000, AbortSignal.timeout(50))).ok).toBe(false)
  })

  it.each(['/nonexistent/program', '/etc/passwd/program', '/etc/passwd'])(
    'that cannot be started says so: %s',
    async (program) => {
      const { ok, output } = await run(program, [])
      expect(ok).toBe(false)
      expect(output).toContain('spawn')
    },
  )

  it('that cannot be started does not keep our own program from its end', async () => {
    const program = `
      import { runCommand } from ${JSON.stringify(import.meta.resolve('./run-command.ts'))}
      const signal = new AbortController().signal
      await runCommand({ program: '/etc/passwd', args: [], account: { kind: 'self' }, timeoutMs: 600_000, signal })`
    const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 })
    await expect(ended).resolves.toMatchObject({ stderr: '' })
  })
})
