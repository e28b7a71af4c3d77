import { spawnSync } from 'node:child_process'

import type { Pattern } from '#/core/evidence/signature.ts'

const PROGRAM = 'rg'

/**
 * One thread; bytes rather than Unicode, which is what our patterns mean and several times as fast; and room for all
 * patterns in one automaton.
 */
const ARGS = [
  '--no-config',
  '--threads=1',
  '--count',
  '--no-filename',
  '--text',
  '--no-unicode',
  '--regex-size-limit=1G',
  '--dfa-size-limit=1G',
]

/** Null where it is not installed. */
export function ripgrepVersion(): string | null {
  const { status, stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (stdout.split('\n')[0] ?? null) : null
}

/** Those of the patterns that ripgrep takes, in its syntax. */
export function forRipgrep(patterns: readonly Pattern[]): readonly string[] {
  return patterns.map(translate).filter((pattern) => {
    const { status } = spawnSync(PROGRAM, [...ARGS, '--regexp', pattern, '-'], { input: '' })
    return status !== 2
  })
}

/** Names would clash between the patterns, and a slash is nothing special to it. */
function translate({ regex: { source, flags } }: Pattern): string {
  const plain = source.replaceAll(/\(\?<\w+>/g, '(?:').replaceAll('\\/', '/')
  const kept = flags.replaceAll(/[^is]/g, '')
  return kept === '' ? plain : `(?${kept})${plain}`
}

/** How many lines of the log match one of the patterns. */
export function countByRipgrep(patternFile: string, log: string): number {
  const { status, stdout, stderr } = spawnSync(PROGRAM, [...ARGS, '--file', patternFile, log], { encoding: 'utf8' })
  // 1 says that no line matches.
  if (status !== 0 && status !== 1) throw new Error(`${PROGRAM} ended with ${status}: ${stderr}`)
  return Number(stdout.trim() || 0)
}
