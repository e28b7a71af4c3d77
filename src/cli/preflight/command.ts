import type { Leaf } from '#/cli/frame/command.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { bundleFlag, outputFlag } from '#/cli/frame/shared-flags.ts'

export const preflightFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  wait: {
    kind: 'option',
    value: 'DURATION',
    summary: 'How long to wait for a rollover that is under way, or for a source that cannot be read: 10m',
  },
  interval: { kind: 'option', value: 'DURATION', default: '10s', summary: 'How long --wait waits between two reads' },
  ...fleetLiveFlags,
} as const

export const preflight: Leaf<typeof preflightFlags> = {
  kind: 'leaf',
  name: 'preflight',
  summary: 'Whether a rollout may start, or has come through',
  description:
    'For pipelines, before and after a rollout of scale sets: each set has one generation of runners, its listener is up and points at it with the cap that is declared, and nothing is being deleted for too long. A rollover that is under way is waited for with --wait; a wedged one is never started over, because a second change on top of it makes it worse. What cannot be known blocks. It reads twice, a minute apart, before it calls a set wedged.',
  examples: [
    { line: 'signalbox preflight', what: 'All sets' },
    {
      line: 'signalbox preflight linux-x64 arc-runners/docker-build --wait 10m',
      what: 'After an apply: wait until it is through',
    },
    { line: 'signalbox preflight --bundle bundle.tar.gz -o json', what: 'From a bundle, for a program' },
  ],
  flags: preflightFlags,
  positionals: [
    { name: 'SET', summary: 'Scale sets: name, or namespace/name; all without any', required: false, repeatable: true },
  ],
  exitCodes: {
    0: 'Every set is ready.',
    1: 'A set is wedged, or a rollover is under way.',
    2: 'The command line is wrong.',
    3: 'It is unknown: a source that matters could not be read, or there is no such set.',
  },
  load: () => import('./run.ts'),
}
