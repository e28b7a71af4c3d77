import type { Group, Leaf } from '#/cli/frame/command.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const pullSecretsCheckFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  ...fleetLiveFlags,
} as const

const check: Leaf<typeof pullSecretsCheckFlags> = {
  kind: 'leaf',
  name: 'check',
  summary: 'Whether the copies of the registry credential agree',
  description:
    'Compares the copies of each pull secret by the digest of its credentials, registry by registry, and says whether listeners, controller and runners name them. No credential is printed. The same as signalbox audit pull-secrets.',
  examples: [
    { line: 'signalbox pull-secrets check', what: 'Live' },
    { line: 'signalbox pull-secrets check --bundle bundle.tar.gz -o json', what: 'From a bundle, for a program' },
  ],
  flags: pullSecretsCheckFlags,
  positionals: [],
  exitCodes: {
    0: 'They agree, or there are none.',
    1: 'There are findings.',
    2: 'The command line is wrong.',
    3: 'A source that matters could not be read.',
  },
  load: () => import('./check.ts'),
}

export const pullSecrets: Group = {
  kind: 'group',
  name: 'pull-secrets',
  summary: 'The credentials with which images are pulled',
  description: 'A pull secret lives in several namespaces, and its copies drift apart.',
  commands: [check],
}
