import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import type { Ran } from '#test/cli/run-signalbox.ts'
import { cleanEnvironment, launcher, repository } from '#test/cli/run-signalbox.ts'

/** In process, except where something is piped into it. */
function signalbox(args: readonly string[], input?: string): Promise<Ran> {
  if (input === undefined) return runInProcess(args, { cwd: folder })
  return new Promise((resolve) => {
    const options = { cwd: folder, env: cleanEnvironment() }
    const child = execFile(launcher, args, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr })
    })
    child.stdin?.end(input)
  })
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-signatures-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const LOG = [
  '\uFEFF2026-06-06T21:30:00.000000000Z √ Connected to GitHub\r',
  '2026-06-06T21:30:01.000000000Z 2026-06-06 21:30:01Z: Listening for Jobs\r',
  '2026-06-06T21:35:06.000000000Z [RUNNER 2026-06-06 21:35:06Z INFO HostContext] Runner will be shutdown for UserCancelled',
  '2026-06-06T21:35:07.000000000Z GITHUB_TOKEN=ghs_16C7e42F292c6912E7710c838347Ae178B4a No space left on device',
].join('\n')

const RULES = `apiVersion: signalbox.dev/v1alpha1
kind: Rules
signatures:
  - id: license-refused
    says: The license server refused.
    patterns:
      - streams: [runner-log]
        regex: 'license server (?P<server>\\S+) refused'
        strength: strong
        examples:
          matches: [license server lic01 refused]
          rejects: [license server lic01 answered]
`

describe('signalbox signatures', () => {
  it('shows which lines of a log match a signature', async () => {
    writeFileSync(path.join(folder, 'runner.log'), LOG)
    const { code, stdout } = await signalbox(['signatures', 'test', 'runner.log', '-o', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      lines: 4,
      clues: [
        { line: 2, signature: 'runner-listening' },
        {
          line: 3,
          signature: 'runner-stop-requested',
          groups: { why: 'UserCancelled' },
          at: '2026-06-06T21:35:06.000Z',
        },
        { line: 4, signature: 'no-space-left' },
      ],
    })
    expect(stdout).not.toContain('ghs_16C7')
  })

  it('reads a journal from stdin and uses the writer that each line names', async () => {
    const kernel = 'Out of memory: Killed process 1849 (java) total-vm:1kB, anon-rss:1kB, file-rss:0kB'
    const lines = ['kernel', 'sshd'].map((who) => {
      const transport = who === 'kernel' ? 'kernel' : 'syslog'
      return JSON.stringify({
        __REALTIME_TIMESTAMP: '1780781706000000',
        _TRANSPORT: transport,
        SYSLOG_IDENTIFIER: who,
        MESSAGE: kernel,
      })
    })
    const { stdout } = await signalbox(['signatures', 'test', '-', '-o', 'json', '--stream', 'kernel'], lines[0])
    expect(JSON.parse(stdout)).toMatchObject({
      clues: [{ signature: 'global-oom-kill', groups: { victim: 'java' } }],
    })
    const shortIso = `2026-06-06T21:35:06+0000 n1 kubelet[7]: ${kernel}`
    expect((await signalbox(['signatures', 'test', '-'], shortIso)).code).toBe(1)
  })

  it('exits with 1 for a log without a clue, and with 3 for a missing one', async () => {
    expect(await signalbox(['signatures', 'test', '-'], 'nothing here\n')).toMatchObject({
      code: 1,
      stdout: '0 clues in 1 lines\n',
    })
    const { code, stderr } = await signalbox(['signatures', 'test', 'missing.log'])
    expect(code).toBe(3)
    expect(stderr).toContain('use the path of a log')
  })

  it('keeps the beginning of a very long line, and continues', async () => {
    const endless = `No space left on device ${'x'.repeat(3_000_000)}\nNo space left on device\n`
    const { stdout } = await signalbox(['signatures', 'test', '-', '-o', 'json'], endless)
    const { lines, clues } = JSON.parse(stdout) as { lines: number; clues: readonly { line: number; text: string }[] }
    expect([lines, clues.map(({ line }) => line)]).toEqual([2, [1, 2]])
    expect(clues[0]?.text.length).toBeLessThan(5_000)
  })

  it('shows a bounded number of clues of a log that has very many, and counts them all', async () => {
    const many = 'No space left on device\n'.repeat(150_000)
    const { code, stdout } = await signalbox(['signatures', 'test', '-'], many)
    expect(code).toBe(0)
    expect(stdout.split('\n').length).toBeLessThan(10_010)
    expect(stdout).toContain('150000 clues in 150000 lines; the first 10000 are shown')
  })

  it('lists the signatures', async () => {
    const { stdout } = await signalbox(['signatures', 'list', '-o', 'json'])
    const { signatures } = JSON.parse(stdout) as { readonly signatures: readonly { readonly id: string }[] }
    expect(signatures.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['oom-kill', 'session-conflict', 'lost-communication']),
    )
  })

  it('shows and lists your own signatures with the built-in ones', async () => {
    writeFileSync(path.join(folder, 'rules.yaml'), RULES)
    const log = `${LOG}\n2026-06-06T21:35:08Z license server lic01 refused\n`
    const { stdout } = await signalbox(['signatures', 'test', '-', '--rules', 'rules.yaml', '-o', 'json'], log)
    expect(JSON.parse(stdout)).toMatchObject({
      clues: [
        { signature: 'runner-listening' },
        { signature: 'runner-stop-requested' },
        { signature: 'no-space-left' },
        { line: 5, signature: 'license-refused', groups: { server: 'lic01' } },
      ],
    })
    const listed = await signalbox(['signatures', 'list', '--rules', 'rules.yaml', '-o', 'json'])
    const { signatures } = JSON.parse(listed.stdout) as { readonly signatures: readonly unknown[] }
    expect(signatures.at(-1)).toEqual({
      id: 'license-refused',
      says: 'The license server refused.',
      streams: ['runner-log'],
      origin: 'rules',
    })
  })

  it('reports valid rules, and what is searched for', async () => {
    writeFileSync(path.join(folder, 'rules.yaml'), RULES)
    const { code, stdout } = await signalbox(['signatures', 'check', 'rules.yaml'])
    expect(code).toBe(0)
    expect(stdout).toContain('"license server "')
    expect(stdout).toContain('1 signatures, 0 causes; all 2 examples pass')
  })

  it('exits with 1 for rules that fail their own examples, and refuses to use them', async () => {
    writeFileSync(path.join(folder, 'failing.yaml'), RULES.replace('lic01 refused]', 'lic01 is well]'))
    const checked = await signalbox(['signatures', 'check', 'failing.yaml'])
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain('failing.yaml:11:21: signatures[0].patterns[0].examples.matches[0] is not matched')
    const json = await signalbox(['signatures', 'check', 'failing.yaml', '-o', 'json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ failures: [{ line: 11, column: 21 }] })
    const used = await signalbox(['signatures', 'test', '-', '--rules', 'failing.yaml'], LOG)
    expect([used.code, used.stdout]).toEqual([2, ''])
    expect(used.stderr).toContain('the rules fail their own examples')
  })

  it('exits with 2 for invalid or missing rules, with every mistake', async () => {
    writeFileSync(
      path.join(folder, 'wrong.yaml'),
      RULES.replace('license-refused', 'oom-kill').replace('strong', 'strung'),
    )
    for (const args of [
      ['signatures', 'check', 'wrong.yaml'],
      ['signatures', 'list', '--rules', 'wrong.yaml'],
    ]) {
      const { code, stderr, stdout } = await signalbox(args)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('wrong.yaml:4:9: signatures[0].id oom-kill is built in; take another name')
      expect(stderr).toContain('wrong.yaml:9:19: signatures[0].patterns[0].strength has an unknown value')
    }
    const { code, stderr } = await signalbox(['signatures', 'check', 'missing.yaml'])
    expect(code).toBe(2)
    expect(stderr).toContain('missing.yaml: no such file')
    writeFileSync(path.join(folder, 'large.yaml'), '#'.repeat(1_048_577))
    const large = await signalbox(['signatures', 'check', 'large.yaml'])
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('is larger than 1048576 bytes')])
  })

  it('prints the schema of the rules', async () => {
    const { stdout } = await signalbox(['signatures', 'schema'])
    const published = readFileSync(path.join(repository, 'schemas', 'rules.schema.json'), 'utf8')
    expect(stdout).toBe(published)
  })
})
