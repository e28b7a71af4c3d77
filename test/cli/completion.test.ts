import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bashCompletion } from '#/cli/completion/bash.ts'
import { fishCompletion } from '#/cli/completion/fish.ts'
import { zshCompletion } from '#/cli/completion/zsh.ts'
import { cleanEnvironment, launcher } from '#test/cli/run-signalbox.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-completion-'))
  await mkdir(join(folder, 'bin'))
  await symlink(launcher, join(folder, 'bin', 'signalbox'))
  await writeFile(join(folder, 'completion.bash'), bashCompletion)
  await writeFile(join(folder, '_signalbox'), zshCompletion)
  await writeFile(join(folder, 'completion.fish'), fishCompletion)
  await writeFile(join(folder, 'fleet config.yaml'), '')
  await mkdir(join(folder, 'fleet'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

function shell(program: string, args: readonly string[]): Promise<string> {
  const { PATH = '', ...rest } = cleanEnvironment({ HOME: folder, TERM: 'dumb' })
  const env = { ...rest, PATH: `${join(folder, 'bin')}${delimiter}${PATH}` }
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, cwd: folder, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${program}: ${error.message} ${stderr}`))
    })
  })
}

const present = async (program: string): Promise<boolean> =>
  shell('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  )

const CASES: readonly (readonly [words: readonly string[], expected: readonly string[]])[] = [
  [['ver'], ['version']],
  [
    ['config', ''],
    ['print', 'schema'],
  ],
  [
    ['completion', ''],
    ['bash', 'fish', 'zsh'],
  ],
  [['doctor', '--out'], ['--output']],
  [
    ['doctor', '-o', ''],
    ['json', 'markdown', 'table', 'yaml'],
  ],
  [['doctor', '--output', 'ya'], ['yaml']],
  [['--kubeconfig', 'k', 'doc'], ['doctor']],
  [['help', 'conf'], ['config']],
  [['nonsense', ''], []],
]

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .sort()

/** A shell that is not installed is reported; where all must run, its absence is a failure. */
async function needs(program: string): Promise<boolean> {
  if (await present(program)) return true
  if (process.env['SIGNALBOX_REQUIRE_FULL_TESTS'] === '1') throw new Error(`${program} is not installed`)
  process.stderr.write(`NOT TESTED: completion in ${program}; install it: apt-get install ${program}\n`)
  return false
}

const inBash = async (words: readonly string[]): Promise<readonly string[]> => {
  const ask = `source completion.bash; COMP_WORDS=(signalbox "$@"); COMP_CWORD=$#; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`
  return lines(await shell('bash', ['--norc', '-c', ask, 'bash', ...words]))
}

describe('completion in bash', () => {
  it.each(CASES)('%j is completed by %j', async (words, expected) => {
    expect(await inBash(words)).toEqual([...expected].sort())
  })

  it('completes the value after an equals sign, which bash splits off', async () => {
    expect(await inBash(['doctor', '--output', '=', 'js'])).toEqual(['json'])
    expect(await inBash(['doctor', '--output', '='])).toEqual(['json', 'markdown', 'table', 'yaml'])
  })

  it('completes files and folders', async () => {
    expect(await inBash(['doctor', '--config', 'fleet'])).toEqual(['fleet', 'fleet config.yaml'])
    expect(await inBash(['doctor', '--data', 'fleet'])).toEqual(['fleet'])
  })
})

describe('completion in fish', () => {
  it('completes the same', async () => {
    if (!(await needs('fish'))) return
    const script = CASES.map(([words]) => `complete -C "signalbox ${words.join(' ')}"; echo ===`).join('; ')
    const answers = (await shell('fish', ['--no-config', '-c', `source completion.fish; ${script}`])).split('===\n')
    const names = answers.slice(0, CASES.length).map((answer) => lines(answer).map((line) => line.split('\t')[0]))
    expect(names).toEqual(CASES.map(([, expected]) => [...expected].sort()))
  })
})

describe('completion in zsh', () => {
  /** A real interactive zsh on a pseudo-terminal, because completion exists nowhere else. Its prompt says that it reads keys. */
  const inZsh = (line: string): Promise<string> => {
    const driver = `
      zmodload zsh/zpty
      zpty -b shell zsh -f -i
      zpty -w shell "fpath=($PWD \\$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; LISTMAX=0; PS1='REA''DY> '"
      zpty -r -m shell _ '*READY> *'
      zpty -w -n shell ${JSON.stringify(line)}$'\\t'
      zpty -w -n shell $' #END\\n'
      zpty -r -m shell answer '*#END*'
      print -r -- "$answer"
      zpty -d shell
    `
    return shell('zsh', ['-f', '-c', driver])
  }

  it.each([
    ['signalbox versi', 'signalbox version'],
    ['signalbox config sch', 'signalbox config schema'],
    ['signalbox doctor --out', 'signalbox doctor --output'],
    ['signalbox doctor --output=js', 'signalbox doctor --output=json'],
    ['signalbox doctor -o markd', 'signalbox doctor -o markdown'],
  ])('%j becomes %j', async (line, completed) => {
    if (!(await needs('zsh'))) return
    expect(await inZsh(line)).toContain(`${completed} `)
  })
})
