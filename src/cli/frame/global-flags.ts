import type { FlagSet } from './flag.ts'

/** Accepted by every command. Those with `sets` override the configuration. */
export const globalFlags = {
  namespace: {
    kind: 'option',
    short: 'n',
    value: 'NAME',
    repeatable: true,
    summary: 'Use this namespace; may be repeated; default: the namespace of the context',
    sets: { path: 'kubernetes.namespaces' },
  },
  'all-namespaces': {
    kind: 'switch',
    short: 'A',
    summary: 'Use all namespaces',
    excludes: ['namespace'],
    sets: { path: 'kubernetes.namespaces', value: '*' },
  },
  context: {
    kind: 'option',
    value: 'NAME',
    summary: 'The context of the kubeconfig to use',
    sets: { path: 'kubernetes.context' },
  },
  kubeconfig: {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The kubeconfig to use',
    sets: { path: 'kubernetes.kubeconfig' },
  },
  config: { kind: 'option', value: 'FILE', completes: 'file', summary: 'The configuration file' },
  data: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'The folder of the embedded database and the stored evidence',
    sets: { path: 'data' },
  },
  color: { kind: 'switch', default: true, summary: 'No colours; NO_COLOR and TERM=dumb do the same' },
  quiet: { kind: 'switch', short: 'q', summary: 'No messages and no progress, only data and errors' },
  verbose: { kind: 'switch', short: 'v', summary: 'More messages, and stack traces', excludes: ['quiet'] },
  help: { kind: 'switch', short: 'h', summary: 'Help for the command' },
} as const satisfies FlagSet

/** Accepted only without a command. */
export const rootFlags = {
  version: { kind: 'switch', summary: 'Print the version' },
} as const satisfies FlagSet
