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
