import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endAs, newAttempt, refusedAttempt, rowIn, runnerNamed } from '#test/contracts/ledger-builders.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'
import type { RecordedServer } from '#test/server/recorded-server.ts'

let server: RecordedServer
const HOUR = 3_600_000
beforeEach(async () => {
  server = await serveRecorded([])
  const { ledger } = server
  const now = Date.now()
  const planned = rowIn(await ledger.begin(newAttempt({ at: now - HOUR * 5, subject: runnerNamed('removed') })))
  await ledger.end(planned, endAs('done', { evidence: 'death-1' }))
  await ledger.record(refusedAttempt({ at: now - HOUR * 3, subject: runnerNamed('kept'), actor: 'anna' }))
  await ledger.begin(newAttempt({ at: now - HOUR * 2, act: 'set-cap', subject: runnerNamed('capped') }))
  await ledger.record(refusedAttempt({ at: now - HOUR * 24 * 30, subject: runnerNamed('long-ago') }))
})
afterEach(async () => await server[Symbol.asyncDispose]())

const list = async (...args: readonly string[]) => await runInProcess(['ledger', ...args, '--server', server.url])

async function names(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await list(...args, '-o', 'json')
  return (JSON.parse(stdout) as { ledger: { subject: { name: string } }[] }).ledger.map(({ subject }) => subject.name)
}

describe('signalbox ledger', () => {
  it('lists the attempts of the last week, the latest first', async () => {
    const { stdout, code } = await list()
    expect(code).toBe(0)
    expect(stdout.replaceAll(/ +/g, ' ').trimEnd().split('\n')).toEqual([
      'AGE OUTCOME ACT SUBJECT BY GATE',
      '2h planned set-cap capped signalbox/reap -',
      '3h refused delete-ephemeral-runner kept anna github-not-busy',
      '5h done delete-ephemeral-runner removed signalbox/reap -',
    ])
  })

  it.each([
    [['--refused'], ['kept']],
    [
      ['--refused', '--since', '60d'],
      ['kept', 'long-ago'],
    ],
    [['--until', '4h'], ['removed']],
    [['--act', 'set-cap'], ['capped']],
    [['--actor', 'anna'], ['kept']],
    [['--outcome', 'done'], ['removed']],
    [['--subject', 'runners/kept'], ['kept']],
    [
      ['--limit', '2'],
      ['capped', 'kept'],
    ],
  ])('filters by %j', async (args, expected) => {
    expect(await names(...args)).toEqual(expected)
  })

  it('answers who removed this and on what proof with -o wide', async () => {
    const { stdout } = await list('--subject', 'removed', '-o', 'wide')
    const [head, who, ...rest] = stdout.trimEnd().split('\n')
    expect(head).toBe('1  done  delete-ephemeral-runner  EphemeralRunner runners/removed')
    expect(who).toMatch(/^ {2}\S+Z by signalbox\/reap, policy offline, run \S+$/)
    expect(rest).toEqual([
      '  evidence: death-1',
      '  ✓ github-not-busy: GitHub lists runner 4711 as offline (3s)',
      '  ✓ within-cap: there is no cap (0s)',
    ])
  })

  it('answers what stopped it, and how far an open attempt got, with -o wide', async () => {
    expect((await list('--refused', '-o', 'wide')).stdout).toContain('\n  decided by github-not-busy\n')
    expect((await list('--outcome', 'planned', '-o', 'wide')).stdout).toContain('\n  last step: planned\n')
  })

  it('prints rows as the contract has them', async () => {
    const { stdout } = await list('--refused', '-o', 'yaml')
    expect(stdout).toMatch(/^schemaVersion: 1\nledger:\n {2}- id: 2\n {4}at: \d{4}-/)
    expect(stdout).toContain('    policy: offline\n')
    expect(stdout).toContain('    decidedBy: github-not-busy\n')
  })

  it('says when there is nothing', async () => {
    expect((await list('--actor', 'nobody')).stdout).toBe('No attempts in that time.\n')
    expect((await list('--subject', 'remov')).stdout).toMatch(
      /^No attempts in that time\.\n--subject takes a whole name\./,
    )
  })

  it.each([
    [['--act', 'delete'], 'delete'],
    [['--since', 'yesterday'], 'is not a time'],
    [['--limit', '0'], 'is not a whole number'],
    [['--refused', '--outcome', 'done'], '--outcome'],
  ])('refuses %j', async (args, why) => {
    const ran = await list(...args)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(why)
  })

  it('prints hostile text without its control characters, within 120 columns', async () => {
    const hostile = '\u001B[2J\u001B]0;owned\u0007evil\nrow\u202E'
    const gates = [{ gate: hostile, holds: false, why: hostile, ageSeconds: 1 }]
    // What it is, who and when, what decided, why, and the gate.
    const WIDE_LINES = 5
    const subject = runnerNamed(`${hostile}${'x'.repeat(300)}`)
    await server.ledger.record(refusedAttempt({ at: Date.now(), subject, gates, actor: hostile }))
    for (const format of ['table', 'wide']) {
      const { stdout } = await list('--since', '1h', '-o', format)
      expect(stdout.trimEnd().split('\n')).toHaveLength(format === 'table' ? 2 : WIDE_LINES)
      expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202E/u)
      if (format === 'table')
        expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
    }
  })
})
