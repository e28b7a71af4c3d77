import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { investigationFlags } from '#/cli/why/investigation-flags.ts'

export const timelineFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  ...investigationFlags,
} as const

export const timeline: Leaf<typeof timelineFlags> = {
  kind: 'leaf',
  name: 'timeline',
  summary: 'Show what every source knows about one runner, in order of time',
  description:
    "Reads an evidence bundle, the live cluster and GitHub, or what signalbox serve recorded, and prints the timeline of one runner: GitHub's job and steps, the pod and its containers, events, API server requests, logs and the node's journal. Blind sources are listed below it. `signalbox why` gives the verdict.",
  examples: [
    { line: 'signalbox timeline --bundle bundle.tar.gz', what: 'The subject of the bundle' },
    { line: 'signalbox timeline linux-4vcpu-runner-x7k2p -n arc-runners', what: 'A pod or a runner, live' },
    {
      line: 'signalbox timeline linux-4vcpu-runner-x7k2p --bundle bundle/',
      what: 'Another pod or runner in the bundle',
    },
    {
      line: 'signalbox timeline 88310160733 --bundle bundle/ -o json',
      what: 'By the id of the job, for a program',
    },
  ],
  flags: timelineFlags,
  positionals: [{ name: 'SUBJECT', summary: 'A pod, a runner, or the id or URL of a job', required: false }],
  exitCodes: {
    0: 'There is a timeline.',
    2: 'The subject or --bundle is missing, or the command line is wrong.',
    3: 'No such subject, or nothing could be read.',
  },
  load: () => import('./run.ts'),
}
