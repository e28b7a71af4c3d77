import { describe, expect, it } from 'vitest'
import { parseTokensFile } from '#/core/access/tokens-file.ts'
import { digestOf } from '#/server/access/token-text.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { serveRecorded } from '#test/server/recorded-server.ts'

describe('signalbox token', () => {
  it('create prints the token alone on stdout, and the rest on stderr', async () => {
    await using server = await serveRecorded([])
    const made = await runInProcess(['token', 'create', 'ci', '--role', 'operate', '--server', server.url])
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^sbx_[0-9a-f]{56}\n$/)
    expect(made.stderr).toMatch(/^The token ci has the role operate and expires \S+Z\. It is not shown again\.\n$/)
    expect(made.stderr).not.toContain('sbx_')
    const listed = await runInProcess(['token', 'list', '-o', 'markdown', '--server', server.url])
    expect(listed.stdout).toContain('| ci | operate | valid |')
    expect(listed.stdout).not.toMatch(/sbx_|[0-9a-f]{64}/)
  })

  it('create --offline asks no server, and prints the line for a file of tokens', async () => {
    const made = await runInProcess(['token', 'create', 'ci', '--offline', '--expires', 'never', '-o', 'json'])
    const { token, line } = JSON.parse(made.stdout) as { readonly token: string; readonly line: string }
    expect(parseTokensFile(line)).toEqual({
      tokens: [{ name: 'ci', role: 'read', digest: digestOf(token), expiresAt: null }],
    })
    expect(made.stderr).toContain(`Add this line to the file of api.tokensFile:\n${line}`)
    expect(line).not.toContain(token)
  })

  it.each([
    [['create', 'a/b'], 'cannot be the name of a token'],
    [['create', 'ci', '--expires', 'soon'], '--expires: soon is not a time'],
    [['create', 'ci', '--expires', '0s'], '--expires: 0s is not a time'],
    [['create', 'ci', '--role', 'admin'], '--role'],
    [['create', 'ci', '--offline', '--server', 'http://127.0.0.1:1'], '--offline'],
    [['create'], 'NAME'],
  ])('refuses %j', async (args, message) => {
    const ran = await runInProcess(['token', ...args])
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it('says how to get access where it is refused', async () => {
    await using server = await serveRecorded([], { isClosed: true })
    const ran = await runInProcess(['token', 'list', '--server', server.url])
    expect(ran.code).toBe(3)
    for (const advice of ['signalbox token create', 'kubectl -n NAMESPACE exec', '--token-file FILE', 'Unix socket']) {
      expect(ran.stderr).toContain(advice)
    }
  })
})
