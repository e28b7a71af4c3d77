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
  summary: 'Check whether the copies of the registry credentials agree',
  description:
    'Compares the copies of each pull secret by the digest of its credentials, registry by registry, and checks whether listeners, controller and runners reference them. No credential is printed. The same as signalbox audit pull-secrets.',
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
    3: 'A needed source could not be read.',
  },
  load: () => import('./check.ts'),
}

export const pullSecrets: Group = {
  kind: 'group',
  name: 'pull-secrets',
  summary: 'Registry credentials for image pulls',
  description: 'A pull secret is copied to several namespaces, and the copies can differ.',
  commands: [check],
}
