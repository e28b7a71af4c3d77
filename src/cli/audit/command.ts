import type { Leaf } from '#/cli/frame/command.ts'
import { serverFlags } from '#/cli/api-client/server-flags.ts'
import { fleetLiveFlags, hostFlags } from '#/cli/frame/fleet-flags.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'
import { AUDIT_IDS } from '#/core/audit/audit.ts'

export const auditFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  source: {
    kind: 'option',
    value: 'PATH',
    repeatable: true,
    completes: 'file',
    summary:
      'Helm values, rendered manifests or a fleet file to read instead of a cluster (contract, capacity); may be repeated',
  },
  'runner-name': { kind: 'option', value: 'NAME', summary: 'The runner to ask about (network, burst)' },
  runner: { kind: 'option', value: 'NAME', summary: 'The same as --runner-name' },
  at: { kind: 'option', value: 'TIME', summary: 'The time to ask about (network): 2026-06-06T21:40:00Z, or 2h' },
  'include-label': {
    kind: 'option',
    value: 'LABEL',
    repeatable: true,
    summary: 'Only this lane; may be repeated',
  },
  node: {
    kind: 'option',
    value: 'NAME',
    repeatable: true,
    summary: 'Only this node (imagefs, nodes); may be repeated',
  },
  'scale-set': { kind: 'option', value: 'NAME', repeatable: true, summary: 'Only this scale set; may be repeated' },
  'fail-on': {
    kind: 'option',
    value: 'SEVERITY|CLASS',
    repeatable: true,
    summary: 'Exit with 1 on info, warning, critical, or a class; default: everything above info; may be repeated',
  },
  probe: {
    kind: 'switch',
    summary: 'Run a short-lived pod in the cluster to check from inside (cache, trust); off by default',
  },
  watch: {
    kind: 'switch',
    short: 'w',
    summary: 'Read again and print what changed, until Ctrl-C',
    excludes: ['bundle', 'source'],
  },
  interval: { kind: 'option', value: 'DURATION', default: '30s', summary: 'How long --watch waits between two reads' },
  ...fleetLiveFlags,
  ...hostFlags,
  ...serverFlags,
} as const

export const audit: Leaf<typeof auditFlags> = {
  kind: 'leaf',
  name: 'audit',
  summary: 'What is wrong with the fleet, what limits each lane, and what to do about it',
  description:
    'Runs the audits that you name, or all that apply: what limits a lane now, which runners kill jobs when they are drained, whether a rollout may start, and whether credentials, disks, labels and declarations are right. It changes nothing. It reads the live cluster and, with a credential, GitHub, or a bundle. A source that could not be read is reported as blind, and what depends on it is unknown, never zero. Findings of one class are printed together, with one hint for those that are alike; -v and -o markdown print every finding with all of its evidence, holders and gates. signalbox explain CLASS describes a finding class.',
  examples: [
    { line: 'signalbox audit', what: 'All audits that apply, and one line per lane at the end' },
    { line: 'signalbox audit burst --include-label linux-x64', what: 'What limits this lane?' },
    { line: 'signalbox audit network --runner-name linux-x64-x7k2p-runner-9fqzt', what: 'Was it the network?' },
    {
      line: 'signalbox audit contract capacity --source values.yaml --source fleet.yaml',
      what: 'In a pipeline, without a cluster',
    },
    {
      line: 'signalbox audit runtime --bundle bundle.tar.gz --fail-on critical -o json',
      what: 'From a bundle, for a program',
    },
  ],
  flags: auditFlags,
  positionals: [
    {
      name: 'AUDIT',
      summary: 'The audits; default: all that apply',
      required: false,
      repeatable: true,
      choices: AUDIT_IDS,
    },
  ],
  exitCodes: {
    0: 'No finding above info, or none that --fail-on selects.',
    1: 'There are findings.',
    2: 'The command line is wrong.',
    3: 'No such finding, but a needed source could not be read.',
  },
  load: () => import('./run.ts'),
}
