import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnvironment, launcher, repository, runSignalbox } from '#test/cli/run-signalbox.ts'

let folder: string
/** Accepts connections and never answers: clients wait. */
const silent = createServer((socket) => socket.on('error', () => {}))
let silentUrl: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-cli-'))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  silentUrl = `127.0.0.1:${(silent.address() as AddressInfo).port}`
})

afterAll(async () => {
  silent.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the program', () => {
  it.each<[string[], number, RegExp, RegExp]>([
    [['--version'], 0, /^signalbox \d+\.\d+\.\d+\n$/, /^$/],
    [[], 0, /^Signalbox .*\n[\s\S]*Commands:/, /^$/],
    [['help', 'config', 'print'], 0, /Usage:\n {2}signalbox config print/, /^$/],
    [
      ['docter'],
      2,
      /^$/,
      /^signalbox: unknown command: docter\n {2}did you mean doctor\?\n {2}see: signalbox --help\n$/,
    ],
    [['help', 'docter'], 2, /^$/, /did you mean doctor\?/],
    [['doctor', '--outptu'], 2, /^$/, /did you mean --output\?/],
    [['doctor', '-o', 'jsn'], 2, /^$/, /did you mean json\?/],
    [
      ['serve', '--database-url', 'mysql://db/x'],
      2,
      /^$/,
      /databaseUrl must be a URL like postgres:\/\/host:5432\/name\n/,
    ],
    [['config', 'print', '--config', 'absent.yaml'], 2, /^$/, /absent\.yaml: no such file/],
  ])('%j exits with %d', async (args, code, stdout, stderr) => {
    const ran = await runSignalbox(args)
    expect(ran.stdout).toMatch(stdout)
    expect(ran.stderr).toMatch(stderr)
    expect(ran.code).toBe(code)
  })

  it('prints the version of its output for programs', async () => {
    const { stdout } = await runSignalbox(['version', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      version: expect.any(String) as string,
      node: process.versions.node,
    })
  })

  it('shows flags, variables, lines of the file and defaults as origins, and no secret', async () => {
    const file = join(folder, 'origins.yaml')
    await writeFile(file, 'log:\n  level: debug\ngithub:\n  token: ghp_verysecret\n')
    const env = { SIGNALBOX_LISTEN: '127.0.0.1:1', DATABASE_URL: 'postgres://me:hunter2@db/x' }
    const { stdout, code } = await runSignalbox(['config', 'print', '-n', 'ci', '--config', file], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/log\.level +debug +\S+origins\.yaml:2\n/)
    expect(stdout).toMatch(/listen +127\.0\.0\.1:1 +SIGNALBOX_LISTEN\n/)
    expect(stdout).toMatch(/kubernetes\.namespaces +ci +--namespace\n/)
    expect(stdout).toMatch(/retention\.evidence +2GiB +default\n/)
    expect(stdout).toMatch(/databaseUrl +postgres:\/\/me:\*\*\*@db\/x +DATABASE_URL\n/)
    expect(stdout).toMatch(/github\.token +\*\*\* +\S+origins\.yaml:4\n/)
    expect(stdout).not.toMatch(/verysecret|hunter2/)
  })

  it('ends quietly when stdout is closed', async () => {
    const script = `"$1" config schema | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`
    const child = spawn('bash', ['-c', script, 'bash', launcher], { env: cleanEnvironment(), cwd: repository })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(stderr).toBe('')
    // The whole may have fitted into the pipe before the reader left.
    expect(['141\n', '0\n']).toContain(stdout)
  })

  it.runIf(process.platform === 'linux')('reports that its output cannot be written', async () => {
    const child = spawn('sh', ['-c', '"$1" help >/dev/full', 'sh', launcher], {
      env: cleanEnvironment(),
      cwd: repository,
    })
    const closed = once(child, 'close') as Promise<[number | null]>
    const [stderr, [code]] = await Promise.all([text(child.stderr), closed])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^signalbox: cannot write the output: .*no space left/)
  })

  it('exits with 141 when stdout is closed before the first byte', async () => {
    const child = spawn(launcher, ['help'], {
      env: cleanEnvironment(),
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const stderr = await text(child.stderr)
    const [code] = child.exitCode === null ? ((await once(child, 'close')) as [number]) : [child.exitCode]
    expect({ code, stderr }).toEqual({ code: 141, stderr: '' })
  })

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s aborts a waiting command, which exits with %d', async (signal, expected) => {
    const kubeconfig = join(folder, `${signal}.yaml`)
    await writeFile(kubeconfig, silentKubeconfig())
    const args = ['doctor', '--kubeconfig', kubeconfig, '--database-url', `postgres://${silentUrl}/x`]
    const asked = once(silent, 'connection')
    const child = spawn(launcher, args, { env: cleanEnvironment(), cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] })
    const closed = once(child, 'close') as Promise<[number | null]>
    await asked
    child.kill(signal)
    const [[code], stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
    expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: '' })
  })

  it.runIf(process.platform === 'linux').each<[Record<string, string>, string, boolean]>([
    [{ TERM: 'xterm' }, '', true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, '', false],
    [{ TERM: 'dumb' }, '', false],
    [{ TERM: 'xterm' }, ' --no-color', false],
  ])('on a terminal with %j%s colours: %s', async (env, flag, expected) => {
    // The shell finds `script`, which lends the program a terminal.
    const line = `script -qec "'${launcher}' config print${flag}" /dev/null`
    const child = spawn('sh', ['-c', line], {
      env: cleanEnvironment(env),
      cwd: repository,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect((await text(child.stdout)).includes('\u001B[')).toBe(expected)
  })

  it('ends at once on a second Ctrl-C', async () => {
    const stubborn = `
      import { watchForStop } from '#/cli/frame/stop.ts'
      watchForStop(process).signal.addEventListener('abort', () => process.stdout.write('aborted '))
      setInterval(() => {}, 1000)
      process.stdout.write('ready ')
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', stubborn], { cwd: repository })
    let seen = ''
    for await (const chunk of child.stdout) {
      seen += String(chunk)
      if (seen === 'ready ' || seen === 'ready aborted ') child.kill('SIGINT')
    }
    const [code] = child.exitCode === null ? ((await once(child, 'close')) as [number]) : [child.exitCode]
    expect({ code, seen }).toEqual({ code: 130, seen: 'ready aborted ' })
  })
})

function silentKubeconfig(): string {
  return JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: `http://${silentUrl}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
}
