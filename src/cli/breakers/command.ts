import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const listFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']), ...serverFlags } as const

const exitCodes = {
  0: 'It is done.',
  1: 'There is no such breaker, or it is closed.',
  2: 'The command line is wrong.',
  3: 'No server answers, or it refuses access.',
} as const

const list: Leaf<typeof listFlags> = {
  kind: 'leaf',
  name: 'list',
  summary: 'List what is stopped because it kept failing',
  description:
    'Lists the breakers of credentials, owners, repositories and nodes: how often each failed since its last success, until when it is open, and why. A breaker whose time is over lets one attempt through, and its success closes it.',
  examples: [{ line: 'signalbox breakers list', what: 'Why does a repository get no runners?' }],
  flags: listFlags,
  positionals: [],
  exitCodes: { 0: exitCodes[0], 2: exitCodes[2], 3: exitCodes[3] },
  load: () => import('./list.ts'),
}

export const resetFlags = { output: outputFlag(['text', 'json', 'yaml']), ...serverFlags } as const

const reset: Leaf<typeof resetFlags> = {
  kind: 'leaf',
  name: 'reset',
  summary: 'Close a breaker at once',
  description:
    'Closes a breaker before its time, after what failed was repaired. It opens again if the same thing keeps failing. It needs the role operate.',
  examples: [{ line: 'signalbox breakers reset repository/acme/app', what: 'After the App was installed there again' }],
  flags: resetFlags,
  positionals: [{ name: 'KEY', summary: 'The key, as the list shows it', required: true }],
  exitCodes,
  load: () => import('./reset.ts'),
}

export const breakers: Group = {
  kind: 'group',
  name: 'breakers',
  summary: 'Breakers: what dispatch stops because it keeps failing',
  description:
    'A credential, owner, repository or node that keeps failing is left out by dispatch for a while, so that its jobs wait and are not claimed and returned for ever: docs/recovery.md.',
  commands: [list, reset],
}
