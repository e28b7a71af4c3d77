import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { investigationFlags } from './investigation-flags.ts'

export const whyFlags = {
  output: outputFlag(['text', 'json', 'yaml', 'markdown']),
  ...investigationFlags,
} as const

export const why: Leaf<typeof whyFlags> = {
  kind: 'leaf',
  name: 'why',
  summary: 'Why a runner died, with the evidence for and against it',
  description:
    'Reads what GitHub, the pod, events, the audit log, logs, the journal of the node and the cgroup tell of one runner, and names the cause of its end: one sentence, the time line, what speaks for it and against it, what could not be seen, and what to do next. Without a bundle it asks the live cluster and, where a credential is given, GitHub; what is gone or not allowed is told as not seen. Where signalbox serve answers and recorded the death, and the pod is gone or what is live knows less, what was recorded is judged by the rules of this program. Several subjects (a run, or a bundle that names none) give one answer each.',
  examples: [
    { line: 'signalbox why linux-4vcpu-runner-x7k2p -n arc-runners', what: 'A pod or a runner, live' },
    {
      line: 'signalbox why https://github.com/acme/app/actions/runs/24044771908/job/88310160733',
      what: 'The runner of a job, by its address',
    },
    { line: 'signalbox why linux-4vcpu-runner-x7k2p --store', what: 'Only from what signalbox serve recorded' },
    { line: 'signalbox why --bundle bundle.tar.gz', what: 'From an evidence bundle, without any network' },
    { line: 'signalbox why 88310160733 --bundle bundle/ -o json', what: 'By the number of the job, for a program' },
  ],
  flags: whyFlags,
  positionals: [
    {
      name: 'SUBJECT',
      summary:
        'A pod, a runner, the number of a job, the address of a job or run, or the UID of a pod that was recorded',
      required: false,
    },
  ],
  exitCodes: {
    0: 'A cause was named.',
    1: 'The verdict is unknown: the evidence names no cause.',
    2: 'Neither a subject nor a bundle was named, or the command line is wrong.',
    3: 'There is no such subject, nothing at all could be read, or with --store no server answers.',
  },
  load: () => import('./run.ts'),
}
