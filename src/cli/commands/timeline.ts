import type { Leaf } from '#/cli/grammar/command.ts'
import { outputFlag } from '#/cli/grammar/shared-flags.ts'

export const timelineFlags = {
  output: outputFlag(['table', 'json', 'yaml', 'markdown']),
  bundle: {
    kind: 'option',
    value: 'PATH',
    completes: 'file',
    summary: 'The evidence bundle to read: a folder or a .tar.gz',
  },
} as const

export const timeline: Leaf<typeof timelineFlags> = {
  kind: 'leaf',
  name: 'timeline',
  summary: 'What every source tells of one runner, merged by time',
  description:
    "Reads an evidence bundle and prints the story of one runner: GitHub's job and steps, the pod and its containers, events, who asked the API server for what, and what the logs and the node's journal say of it. What could not be seen is told below.",
  examples: [
    { line: 'signalbox timeline --bundle bundle.tar.gz', what: 'The subject that the bundle names' },
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
    2: 'No bundle was named.',
    3: 'The bundle could not be read, or it knows nothing of the subject.',
  },
  load: () => import('#/cli/timeline.ts'),
}
