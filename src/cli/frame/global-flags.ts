import type { FlagSet } from './flag.ts'

/** Understood by every command. Those that name a setting override the configuration; nothing else reads them. */
export const globalFlags = {
  namespace: {
    kind: 'option',
    short: 'n',
    value: 'NAME',
    repeatable: true,
    summary: 'Look at this namespace; may be repeated. Default: the namespace of the context',
    sets: { path: 'kubernetes.namespaces' },
  },
  'all-namespaces': {
    kind: 'switch',
    short: 'A',
    summary: 'Look at all namespaces',
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
    summary: 'The folder of the embedded database and of what is kept',
    sets: { path: 'data' },
  },
  color: { kind: 'switch', default: true, summary: 'Colours off; NO_COLOR and TERM=dumb do the same' },
  quiet: { kind: 'switch', short: 'q', summary: 'No notices and no progress: the data, and errors' },
  verbose: { kind: 'switch', short: 'v', summary: 'More notices, and the stack of a fault', excludes: ['quiet'] },
  help: { kind: 'switch', short: 'h', summary: 'Help for the command' },
} as const satisfies FlagSet

/** Understood without a command only. */
export const rootFlags = {
  version: { kind: 'switch', summary: 'The version' },
} as const satisfies FlagSet
