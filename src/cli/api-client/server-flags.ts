import type { FlagSet } from '#/cli/frame/flag.ts'

/** How a command reaches and authenticates to `signalbox serve`. */
export const serverFlags = {
  server: {
    kind: 'option',
    value: 'URL',
    summary: 'Where signalbox serve listens, or unix:/PATH of its socket; default: the server on this machine',
    sets: { path: 'api.server' },
  },
  'token-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The token to send; also SIGNALBOX_TOKEN or SIGNALBOX_TOKEN_FILE. See signalbox token',
    sets: { path: 'client.tokenFile' },
  },
  'ca-file': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The CA that signed the server's certificate (PEM)",
    sets: { path: 'caFile' },
  },
} as const satisfies FlagSet
