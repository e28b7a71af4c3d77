import type { Leaf } from '#/cli/frame/command.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const preflightFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  wait: {
    kind: 'option',
    value: 'DURATION',
    summary: 'How long to wait for a rollover in flight, or for a source that cannot be read: 10m',
  },
  interval: { kind: 'option', value: 'DURATION', default: '10s', summary: 'How long --wait waits between two reads' },
  ...fleetLiveFlags,
} as const

export const preflight: Leaf<typeof preflightFlags> = {
  kind: 'leaf',
  name: 'preflight',
  summary: 'Check whether a rollout may start, or has completed',
  description:
    'For pipelines, before and after a rollout of scale sets: each set has one EphemeralRunnerSet, its listener is up and refers to it with the declared maximum, and nothing has been terminating for too long. With --wait it waits for a rollover in flight. It never retries a wedged one, because a second change makes it worse. What is unknown blocks. It reads twice, a minute apart, before it calls a set wedged.',
  examples: [
    { line: 'signalbox preflight', what: 'All sets' },
    {
      line: 'signalbox preflight linux-x64 arc-runners/docker-build --wait 10m',
      what: 'After an apply: wait until it has completed',
    },
    { line: 'signalbox preflight --bundle bundle.tar.gz -o json', what: 'From a bundle, for a program' },
  ],
  flags: preflightFlags,
  positionals: [
    { name: 'SET', summary: 'Scale sets: name, or namespace/name; default: all', required: false, repeatable: true },
  ],
  exitCodes: {
    0: 'Every set is ready.',
    1: 'A set is wedged, or a rollover is in flight.',
    2: 'The command line is wrong.',
    3: 'Unknown: a needed source could not be read, or there is no such set.',
  },
  load: () => import('./run.ts'),
}
