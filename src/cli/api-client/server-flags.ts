import type { FlagSet } from '#/cli/frame/flag.ts'

/** How a command reaches and authenticates to `signalbox serve`. */
export const serverFlags = {
  server: {
    kind: 'option',
    value: 'URL',
    summary: 'Where signalbox serve listens; default: the configured address on this machine',
    sets: { path: 'api.server' },
  },
  'token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The token that the server requires from other machines',
    sets: { path: 'api.tokenFile' },
  },
  'ca-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The CA that signed the server's certificate (PEM)",
    sets: { path: 'caFile' },
  },
} as const satisfies FlagSet
