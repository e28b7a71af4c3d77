import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const createFlags = {
  output: outputFlag(['text', 'json', 'yaml']),
  role: {
    kind: 'option',
    value: 'ROLE',
    choices: ['read', 'operate'],
    default: 'read',
    summary: 'What its holder may do; operate includes read',
  },
  expires: {
    kind: 'option',
    value: 'TIME',
    default: '90d',
    summary: 'When it ends: 90d, 12h, or never',
  },
  offline: {
    kind: 'switch',
    summary: 'Ask no server: also print the line for the file of api.tokensFile',
    excludes: ['server', 'token-file', 'ca-file'],
  },
  ...serverFlags,
} as const

const exitCodes = {
  0: 'It is done.',
  1: 'The server refused it, for example because the name is taken.',
  2: 'The command line is wrong.',
  3: 'No server answers, or it refuses access.',
} as const

const create: Leaf<typeof createFlags> = {
  kind: 'leaf',
  name: 'create',
  summary: 'Create a token, and print it once',
  description:
    'Creates a token for the API of signalbox serve and prints it to stdout. The server stores only its SHA-256, so it cannot be shown again. Run it where the server runs, by the same user (kubectl exec), or with a token that has the role operate.',
  examples: [
    { line: 'signalbox token create ci --role read --expires 90d > token', what: 'For a pipeline that reads deaths' },
    {
      line: 'kubectl exec deploy/signalbox -- signalbox token create ops --role operate',
      what: 'With the chart',
    },
    { line: 'signalbox token create ci --offline', what: 'For a file of tokens that you deploy yourself' },
  ],
  flags: createFlags,
  positionals: [{ name: 'NAME', summary: 'Its name in lists and logs', required: true }],
  exitCodes,
  load: () => import('./create.ts'),
}

export const listFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']), ...serverFlags } as const

const list: Leaf<typeof listFlags> = {
  kind: 'leaf',
  name: 'list',
  summary: 'List tokens: role, expiry, last use',
  description:
    'Lists the tokens that the server knows, also those that expired or were revoked. It never shows a token itself.',
  examples: [{ line: 'signalbox token list', what: 'Which tokens are used, and which end soon?' }],
  flags: listFlags,
  positionals: [],
  exitCodes: { 0: exitCodes[0], 2: exitCodes[2], 3: exitCodes[3] },
  load: () => import('./list.ts'),
}

export const revokeFlags = { output: outputFlag(['text', 'json', 'yaml']), ...serverFlags } as const

const revoke: Leaf<typeof revokeFlags> = {
  kind: 'leaf',
  name: 'revoke',
  summary: 'Revoke a token',
  description:
    'Ends a token at once; other replicas of the server refuse it within seconds. A token of a file is removed from that file instead.',
  examples: [{ line: 'signalbox token revoke ci', what: 'After its successor is in use, or when it leaked' }],
  flags: revokeFlags,
  positionals: [{ name: 'NAME', summary: 'The name of the token', required: true }],
  exitCodes,
  load: () => import('./revoke.ts'),
}

export const token: Group = {
  kind: 'group',
  name: 'token',
  summary: 'Tokens for the API of signalbox serve',
  description:
    'Who may read deaths, and who may change something: docs/access.md. Several tokens can be valid at once, so that one can replace another.',
  commands: [create, list, revoke],
}
