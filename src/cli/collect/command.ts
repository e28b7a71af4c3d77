import type { Leaf } from '#/cli/frame/command.ts'
import { fleetLiveFlags } from '#/cli/frame/fleet-flags.ts'
import { liveFlags } from '#/cli/frame/live-flags.ts'

export const collectFlags = {
  output: {
    kind: 'option',
    short: 'o',
    value: 'PATH',
    completes: 'file',
    default: 'bundle.tar.gz',
    summary: 'Where the bundle goes: a .tar.gz, or a folder where it ends in / or is one',
  },
  force: { kind: 'switch', summary: 'Replace a bundle that is already there' },
  summary: {
    kind: 'option',
    value: 'FORMAT',
    choices: ['table', 'json', 'yaml', 'markdown'],
    default: 'table',
    summary: 'The form of the list of sources that is printed',
  },
  ...liveFlags,
  ...fleetLiveFlags,
} as const

export const collect: Leaf<typeof collectFlags> = {
  kind: 'leaf',
  name: 'collect',
  summary: 'Put the evidence of one runner, or of the whole fleet, into a bundle',
  description:
    "Reads what the cluster, GitHub and, on a node, the machine tell of one runner, and writes it as an evidence bundle: pods, events, nodes, leases and ARC's objects, the logs of the pod's containers and of ARC, the node's statistics, GitHub's job, run, annotations, log and runners. Without a SUBJECT it is the fleet as it is, with all that signalbox audit reads: also claims, services, deployments, the statistics and settings of every node, the ends of the logs of ARC and of all runners, GitHub's runners of every scale set and the jobs that wait or run. Tokens, JIT configurations and secret environment variables are taken out; Secrets are read for a fleet alone, only those that it names or that hold credentials of registries beside it, and only their digests are written. What could not be seen is listed and stands in the bundle's meta.json: that is no failure. A pod that is gone leaves events, GitHub's record and the audit log. Nothing is changed anywhere.",
  examples: [
    { line: 'signalbox collect arc-runners/linux-8g-k2xvq-runner-7hn4d', what: 'A pod, into bundle.tar.gz' },
    {
      line: 'signalbox collect https://github.com/acme/app/actions/runs/9/job/88310160733 -o lost.tar.gz',
      what: 'A job, by its address',
    },
    {
      line: 'signalbox collect https://github.com/acme/app/actions/runs/9/attempts/2 -o run/',
      what: 'All jobs of one attempt of a run, into a folder',
    },
    {
      line: 'signalbox collect linux-8g-k2xvq-runner-7hn4d --this-node n7 --audit-log audit.log --since 2h',
      what: 'On the node, with its journal and an audit log',
    },
    {
      line: 'signalbox collect --fleet fleet.yaml --repo acme/app -o fleet.tar.gz',
      what: 'The whole fleet, for signalbox audit --bundle',
    },
  ],
  flags: collectFlags,
  positionals: [
    {
      name: 'SUBJECT',
      summary:
        'A pod, namespace/pod, a runner, the number or the address of a job, or the address of a run; the whole fleet without it',
      required: false,
    },
  ],
  exitCodes: {
    0: 'The bundle is written; some sources may have been blind.',
    1: 'The bundle could not be written.',
    2: 'The command line is wrong, or something is already there.',
    3: 'Nothing could be read at all; no bundle is written.',
  },
  load: () => import('./run.ts'),
}
