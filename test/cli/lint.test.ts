import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-lint-'))
  writeFileSync(path.join(folder, 'right.toml'), 'concurrent = 4\n')
  writeFileSync(
    path.join(folder, 'wrong file.toml'),
    '[[runners]]\n  token = "glrt-abcdefghijklmnopqrst"\n  [[runners.kubernetes]]\n    cpu_limt = "1"\n',
  )
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const lint = (...args: readonly string[]) => runInProcess(['lint', 'gitlab', ...args], { cwd: folder })

describe('signalbox lint gitlab', () => {
  it('exits with 0 for a valid file', async () => {
    const { code, stdout } = await lint('right.toml')
    expect([code, stdout]).toEqual([0, 'right.toml: no findings\n'])
  })

  it('exits with 1 and prints a line for each finding, like a compiler', async () => {
    const { code, stdout } = await lint('wrong file.toml')
    expect([code, stdout.split('\n')]).toEqual([
      1,
      [
        'wrong file.toml:3:3: warning: kubernetes-table-array: runners.kubernetes is a list of one table; a runner has one table of that name; write [runners.kubernetes] with single brackets',
        'wrong file.toml:4:5: warning: unknown-key: GitLab Runner has no key runners.kubernetes.cpu_limt and ignores it; did you mean cpu_limit?',
        '',
        '2 findings',
        '',
      ],
    ])
  })

  it('prints findings like an audit for programs', async () => {
    const { code, stdout } = await lint('wrong file.toml', '-o', 'json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        schemaVersion: 1,
        file: 'wrong file.toml',
        findings: [
          { class: 'kubernetes-table-array', severity: 'warning', subject: { kind: 'File', line: 3, column: 3 } },
          { class: 'unknown-key', subject: { name: 'wrong file.toml', line: 4, column: 5 }, meant: ['cpu_limit'] },
        ],
      },
    ])
  })

  it('writes SARIF 2.1.0 with a rule for each class that it found', async () => {
    const { code, stdout } = await lint('wrong file.toml', '-o', 'sarif')
    const sarif = JSON.parse(stdout) as { readonly runs: readonly { readonly results: readonly unknown[] }[] }
    expect([code, sarif]).toMatchObject([
      1,
      {
        version: '2.1.0',
        runs: [
          {
            tool: { driver: { name: 'signalbox', rules: [{ id: 'kubernetes-table-array' }, { id: 'unknown-key' }] } },
            results: [
              { ruleId: 'kubernetes-table-array', ruleIndex: 0, level: 'warning' },
              {
                ruleId: 'unknown-key',
                ruleIndex: 1,
                locations: [
                  {
                    physicalLocation: {
                      artifactLocation: { uri: 'wrong%20file.toml' },
                      region: { startLine: 4, startColumn: 5 },
                    },
                  },
                ],
              },
            ],
          },
        ],
      },
    ])
  })

  it('writes SARIF without results for a valid file', async () => {
    const { code, stdout } = await lint('right.toml', '-o', 'sarif')
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { runs: [{ results: [] }] }])
  })

  it.each(['text', 'json', 'yaml', 'markdown', 'sarif'])('shows no value of the file as %s', async (format) => {
    const { stdout, stderr } = await lint('wrong file.toml', '-o', format)
    expect(stdout + stderr).not.toContain('abcdefghij')
    expect(stdout).toContain('cpu_limt')
  })

  it('exits with 3 for an unreadable file', async () => {
    expect((await lint('none.toml')).code).toBe(3)
    expect((await lint(folder)).code).toBe(3)
  })

  it('exits with 2 without a file', async () => {
    expect((await lint()).code).toBe(2)
  })

  it('prints the same findings as the audit of a bundle', async () => {
    const bundle = path.join(folder, 'bundle')
    const meta = { schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z', subject: {}, sources: {} }
    mkdirSync(path.join(bundle, 'gitlab'), { recursive: true })
    writeFileSync(path.join(bundle, 'meta.json'), JSON.stringify(meta))
    copyFileSync(path.join(folder, 'wrong file.toml'), path.join(bundle, 'gitlab/config.toml'))
    const [file, audit] = await Promise.all([
      lint(path.join(bundle, 'gitlab/config.toml'), '-o', 'json'),
      runInProcess(['audit', 'gitlab', '--bundle', bundle, '-o', 'json']),
    ])
    const { findings } = JSON.parse(file.stdout) as { readonly findings: readonly ShownFinding[] }
    const { audits } = JSON.parse(audit.stdout) as {
      readonly audits: readonly { readonly findings: readonly ShownFinding[] }[]
    }
    expect(audits[0]?.findings.map(placed)).toEqual(findings.map(placed))
    expect([file.code, audit.code]).toEqual([1, 1])
  })
})

type ShownFinding = { readonly class: string; readonly subject: { readonly line: number; readonly column: number } }

function placed({ class: name, subject }: ShownFinding): string {
  return `${name} ${subject.line}:${subject.column}`
}
