import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launcher, repository } from '#test/cli/run-signalbox.ts'

let folder: string
/** Reports that it is too old, like `node` on the PATH of many machines. */
let oldNode: string
/** Only what a POSIX system always has. */
const SYSTEM_PATH = '/usr/bin:/bin'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox launcher-'))
  oldNode = join(folder, 'old')
  await script(join(oldNode, 'node'), 'echo "the old node was run" >&2; exit 99')
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function script(file: string, body: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, `#!/bin/sh\n${body}\n`)
  await chmod(file, 0o755)
}

/** A folder with the launcher in it, as a checkout or an installed package has it. */
async function place(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(folder, name)
  await mkdir(join(root, 'bin'), { recursive: true })
  await copyFile(launcher, join(root, 'bin', 'signalbox'))
  await copyFile(join(repository, 'bin', 'require-node.cjs'), join(root, 'bin', 'require-node.cjs'))
  for (const [file, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(join(root, file, '..'), { recursive: true })
    await writeFile(join(root, file), text)
  }
  return root
}

type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

function run(program: string, args: readonly string[], path: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { PATH: path }, cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const SAY_ARGUMENTS = 'process.stdout.write(JSON.stringify(process.argv.slice(2)))'

describe('bin/signalbox', () => {
  it("runs the checkout with the checkout's Node, whatever the PATH has", async () => {
    expect(await run(launcher, ['--version'], `${oldNode}:${SYSTEM_PATH}`)).toMatchObject({ code: 0, stderr: '' })
  })

  it('finds the checkout through links, relative and absolute', async () => {
    await symlink(launcher, join(folder, 'absolute'))
    await symlink('absolute', join(folder, 'a link'))
    const ran = await run(join(folder, 'a link'), ['--version'], `${oldNode}:${SYSTEM_PATH}`)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^signalbox /) as string })
  })

  it('takes the Node of the platform package where npm made no links', async () => {
    const root = await place('no links', { 'src/main.ts': SAY_ARGUMENTS })
    const packages = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    await mkdir(packages, { recursive: true })
    await symlink(process.execPath, join(packages, 'node'))
    const ran = await run(join(root, 'bin', 'signalbox'), ['x'], `${oldNode}:${SYSTEM_PATH}`)
    expect(ran).toEqual({ code: 0, stdout: '["x"]', stderr: '' })
  })

  it('hands on every argument as it is, in a place with spaces', async () => {
    const root = await place('with spaces', { 'dist/main.js': SAY_ARGUMENTS })
    const args = ['', 'a b', '--flag=$HOME', "it's", '"', '*', '-e']
    const ran = await run(join(root, 'bin', 'signalbox'), args, `${join(process.execPath, '..')}:${SYSTEM_PATH}`)
    expect(JSON.parse(ran.stdout)).toEqual(args)
  })

  it('runs the compiled program of an installed package, even with sources next to it', async () => {
    const root = await place('project/node_modules/signalbox', {
      'dist/main.js': SAY_ARGUMENTS,
      'src/main.ts': 'throw 1',
    })
    const bin = join(folder, 'project/node_modules/.bin')
    await mkdir(bin)
    await symlink('../signalbox/bin/signalbox', join(bin, 'signalbox'))
    const ran = await run(join(bin, 'signalbox'), ['x'], `${join(process.execPath, '..')}:${SYSTEM_PATH}`)
    expect(ran).toEqual({ code: 0, stdout: '["x"]', stderr: '' })
    expect(root).toContain('node_modules')
  })

  it('exits with the code of the program', async () => {
    const root = await place('exit', { 'dist/main.js': 'process.exit(3)' })
    const ran = await run(join(root, 'bin', 'signalbox'), [], `${join(process.execPath, '..')}:${SYSTEM_PATH}`)
    expect(ran.code).toBe(3)
  })

  it('says what is missing in a checkout without node_modules', async () => {
    const root = await place('bare', { 'src/main.ts': '' })
    const ran = await run(join(root, 'bin', 'signalbox'), [], SYSTEM_PATH)
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/no node_modules\n.*npm ci/) as string })
  })

  it('says what is missing when there is nothing to run', async () => {
    const root = await place('empty', {})
    const ran = await run(join(root, 'bin', 'signalbox'), [], SYSTEM_PATH)
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to run') as string })
  })

  it('says what is missing without Node', async () => {
    const root = await place('no node', { 'dist/main.js': '' })
    const tools = join(folder, 'tools')
    await mkdir(tools)
    for (const tool of ['dirname', 'readlink']) await symlink(`/usr/bin/${tool}`, join(tools, tool))
    const ran = await run(join(root, 'bin', 'signalbox'), [], tools)
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('no Node on the PATH') as string })
  })
})

describe('bin/require-node.cjs', () => {
  it.each([
    ['16.20.2', 1],
    ['20.20.2', 1],
    ['24.13.9', 1],
    ['24.14.0', 0],
    ['25.0.0', 0],
  ])('judges Node %s by %d', async (version, code) => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
    const check = `require(${JSON.stringify(join(repository, 'bin', 'require-node.cjs'))})`
    const ran = await run(process.execPath, ['-e', `${pretend}; ${check}`], SYSTEM_PATH)
    expect(ran.code).toBe(code)
    expect(ran.stderr.includes(version)).toBe(code === 1)
  })
})
