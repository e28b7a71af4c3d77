import type { FlagSet } from '#/cli/frame/flag.ts'

/** How a command finds `signalbox serve`, and is let in. */
export const serverFlags = {
  server: {
    kind: 'option',
    value: 'URL',
    summary: 'Where signalbox serve listens; the configured address on this machine without it',
    sets: { path: 'api.server' },
  },
  'token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The token that the server wants from other machines',
    sets: { path: 'api.tokenFile' },
  },
  'ca-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The authority that signed the server's certificate, PEM",
    sets: { path: 'caFile' },
  },
} as const satisfies FlagSet
