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
  summary: 'What every source tells of one runner, merged by time',
  description:
    "Reads an evidence bundle, the live cluster and GitHub, or what signalbox serve recorded, and prints the story of one runner: GitHub's job and steps, the pod and its containers, events, who asked the API server for what, and what the logs and the node's journal say of it. What could not be seen is told below. `signalbox why` judges it.",
  examples: [
    { line: 'signalbox timeline --bundle bundle.tar.gz', what: 'The subject that the bundle names' },
    { line: 'signalbox timeline linux-4vcpu-runner-x7k2p -n arc-runners', what: 'A pod or a runner, live' },
    { line: 'signalbox timeline linux-4vcpu-runner-x7k2p --bundle bundle/', what: 'Another pod or runner of it' },
    {
      line: 'signalbox timeline 88310160733 --bundle bundle/ -o json',
      what: 'By the number of the job, for a program',
    },
  ],
  flags: timelineFlags,
  positionals: [
    { name: 'SUBJECT', summary: 'A pod, a runner, the number of a job or the address of one', required: false },
  ],
  exitCodes: {
    0: 'There is a story.',
    2: 'Neither a subject nor a bundle was named, or the command line is wrong.',
    3: 'There is no such subject, or nothing at all could be read.',
  },
  load: () => import('./run.ts'),
}
