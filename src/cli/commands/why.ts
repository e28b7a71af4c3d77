import type { Leaf } from '#/cli/grammar/command.ts'
import { bundleFlag, outputFlag, rulesFlag } from '#/cli/grammar/shared-flags.ts'
import { liveFlags } from '#/cli/grammar/live-flags.ts'

export const whyFlags = {
  output: outputFlag(['text', 'json', 'yaml', 'markdown']),
  bundle: bundleFlag,
  rules: rulesFlag,
  ...liveFlags,
} as const

export const why: Leaf<typeof whyFlags> = {
  kind: 'leaf',
  name: 'why',
  summary: 'Why a runner died, with the evidence for and against it',
  description:
    'Reads what GitHub, the pod, events, the audit log, logs, the journal of the node and the cgroup tell of one runner, and names the cause of its end: one sentence, the time line, what speaks for it and against it, what could not be seen, and what to do next. Without a bundle it asks the live cluster and, where a credential is given, GitHub; what is gone or not allowed is told as not seen. Several subjects (a run, or a bundle that names none) give one answer each.',
  examples: [
    { line: 'signalbox why linux-4vcpu-runner-x7k2p -n arc-runners', what: 'A pod or a runner, live' },
    {
      line: 'signalbox why https://github.com/acme/app/actions/runs/24044771908/job/88310160733',
      what: 'The runner of a job, by its address',
    },
    { line: 'signalbox why --bundle bundle.tar.gz', what: 'From an evidence bundle, without any network' },
    { line: 'signalbox why 88310160733 --bundle bundle/ -o json', what: 'By the number of the job, for a program' },
  ],
  flags: whyFlags,
  positionals: [
    {
      name: 'SUBJECT',
      summary: 'A pod, a runner, the number of a job, or the address of a job or run',
      required: false,
    },
  ],
  exitCodes: {
    0: 'A cause was named.',
    1: 'The verdict is unknown: the evidence names no cause.',
    2: 'Neither a subject nor a bundle was named, or the command line is wrong.',
    3: 'There is no such subject, or nothing at all could be read.',
  },
  load: () => import('#/cli/why.ts'),
}
