import { serverFlags } from '#/cli/api-client/server-flags.ts'
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

export const pullSecretsSyncFlags = {
  output: outputFlag(['table', 'json', 'yaml']),
  fleet: fleetLiveFlags.fleet,
  apply: {
    kind: 'switch',
    summary: 'Apply the copies that differ, and recreate listeners that wait for one; asks first',
  },
  yes: { kind: 'switch', summary: 'With --apply: do not ask, for scripts' },
  'force-conflicts': { kind: 'switch', summary: 'With --apply: take the fields over from another field manager' },
  evidence: {
    kind: 'option',
    value: 'DIR',
    completes: 'folder',
    summary: 'With --apply: keep the ledger in this folder, where no server runs',
  },
  ...serverFlags,
} as const

const sync: Leaf<typeof pullSecretsSyncFlags> = {
  kind: 'leaf',
  name: 'sync',
  summary: 'Copy registry credentials to where the fleet file declares a copy',
  description:
    'The fleet file declares which namespace has the original and which have copies (spec.pullSecrets). Copies are compared by digest; no credential is printed. Without --apply it is a dry run. With --apply each copy that differs is applied (server-side, field manager signalbox), and then only those listener pods are deleted, for ARC to make again, that wait for their image with such a Secret. Each attempt is a row of the ledger.',
  examples: [
    { line: 'signalbox pull-secrets sync --fleet fleet.yaml', what: 'Which copies differ, and which listeners wait?' },
    { line: 'signalbox pull-secrets sync --fleet fleet.yaml --apply', what: 'Show it, ask, and do it' },
  ],
  flags: pullSecretsSyncFlags,
  positionals: [],
  exitCodes: {
    0: 'Every copy is equal to its original, or is now; or you answered no.',
    1: 'Without --apply: a copy differs, or a listener waits. With it: something failed.',
    2: 'The command line or the fleet file is wrong.',
    3: 'Blind: a Secret or the listeners could not be read, or nothing can keep the ledger.',
    4: 'Refused: another field manager owns a copy, or it has another type.',
  },
  load: () => import('./sync.ts'),
}

export const pullSecrets: Group = {
  kind: 'group',
  name: 'pull-secrets',
  summary: 'Registry credentials for image pulls',
  description: 'A pull secret is copied to several namespaces, and the copies can differ.',
  commands: [check, sync],
}
