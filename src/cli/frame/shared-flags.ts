import type { OutputFormat } from '#/cli/output/print-output.ts'

/** `-o` for a command that has these formats; the first is the default. */
export function outputFlag<const F extends readonly [OutputFormat, ...OutputFormat[]]>(choices: F) {
  return {
    kind: 'option',
    short: 'o',
    value: 'FORMAT',
    summary: 'Output format',
    choices,
    default: choices[0] as F[0],
  } as const
}

export const databaseUrlFlag = {
  kind: 'option',
  value: 'URL',
  summary:
    'A PostgreSQL server (15 or newer) instead of the embedded one. Pass a password by the environment or a file',
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
  summary: 'Read only what signalbox serve recorded; default: the live fleet, or the record if it knows more',
  excludes: ['bundle'],
} as const

export const liveFlag = {
  kind: 'switch',
  summary: 'Read only the live fleet, not the record: for a new pod that has the name of one that died',
  excludes: ['bundle', 'store'],
} as const

export const rulesFlag = {
  kind: 'option',
  value: 'FILE',
  completes: 'file',
  summary: 'A file with your own signatures and causes, added to the built-in ones',
} as const
