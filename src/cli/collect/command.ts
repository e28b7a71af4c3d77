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
    summary: 'The bundle to write: a .tar.gz, or a folder (an existing one, or a path that ends in /)',
  },
  force: { kind: 'switch', summary: 'Replace an existing bundle' },
  summary: {
    kind: 'option',
    value: 'FORMAT',
    choices: ['table', 'json', 'yaml', 'markdown'],
    default: 'table',
    summary: 'Output format of the list of sources',
  },
  ...liveFlags,
  ...fleetLiveFlags,
} as const

export const collect: Leaf<typeof collectFlags> = {
  kind: 'leaf',
  name: 'collect',
  summary: 'Collect the evidence of one runner, or of the whole fleet, into a bundle',
  description:
    "Collects what the cluster, GitHub and, on a node, the machine know about one runner, and writes it as an evidence bundle: pods, events, nodes, leases and ARC's objects, the logs of the pod's containers and of ARC, the node's statistics, GitHub's job, run, annotations, log and runners. Without a SUBJECT it collects the fleet, with everything that signalbox audit reads: also claims, services, deployments, the statistics and settings of every node, the ends of the logs of ARC and of all runners, GitHub's runners of every scale set and the queued and running jobs. Tokens, JIT configurations and secret environment variables are removed. Secrets are read only for a fleet, only those that it names or that hold registry credentials in the same namespaces, and only their digests are written. Blind sources are listed and recorded in the bundle's meta.json; they are not a failure. A deleted pod leaves events, GitHub's record and the audit log. Nothing is changed anywhere.",
  examples: [
    { line: 'signalbox collect arc-runners/linux-8g-k2xvq-runner-7hn4d', what: 'A pod, into bundle.tar.gz' },
    {
      line: 'signalbox collect https://github.com/acme/app/actions/runs/9/job/88310160733 -o lost.tar.gz',
      what: 'A job, by its URL',
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
      summary: 'A pod, namespace/pod, a runner, the id or URL of a job, or the URL of a run; default: the whole fleet',
      required: false,
    },
  ],
  exitCodes: {
    0: 'The bundle was written; some sources may be blind.',
    1: 'The bundle could not be written.',
    2: 'The command line is wrong, or the target exists.',
    3: 'Nothing could be read; no bundle was written.',
  },
  load: () => import('./run.ts'),
}
