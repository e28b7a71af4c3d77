import type { OutputFormat } from '#/cli/output/present.ts'

/** `-o` for a command that has these formats; the first is the default. */
export function outputFlag<const F extends readonly [OutputFormat, ...OutputFormat[]]>(choices: F) {
  return {
    kind: 'option',
    short: 'o',
    value: 'FORMAT',
    summary: 'The form of the output',
    choices,
    default: choices[0] as F[0],
  } as const
}

export const databaseUrlFlag = {
  kind: 'option',
  value: 'URL',
  summary:
    'A PostgreSQL server (15 or newer) in place of the embedded one. Give a password by the environment or a file',
  sets: { path: 'databaseUrl' },
} as const

export const bundleFlag = {
  kind: 'option',
  value: 'PATH',
  completes: 'file',
  summary: 'The evidence bundle to read: a folder or a .tar.gz',
} as const

export const storeFlag = {
  kind: 'switch',
  summary: 'Only what signalbox serve recorded; without it what is live, and what was recorded where that knows more',
  excludes: ['bundle'],
} as const

export const rulesFlag = {
  kind: 'option',
  value: 'FILE',
  completes: 'file',
  summary: 'A file with signatures and causes of your own, beside those that are built in',
} as const
