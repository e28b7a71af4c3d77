import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'
import { investigationFlags } from './investigation-flags.ts'

export const whyFlags = {
  output: outputFlag(['text', 'json', 'yaml', 'markdown']),
  brief: { kind: 'switch', summary: 'Only the sentence, the cause and the first thing to do', excludes: ['timeline'] },
  timeline: { kind: 'switch', summary: 'The whole timeline; default: at most 20 rows around the death' },
  ...investigationFlags,
} as const

export const why: Leaf<typeof whyFlags> = {
  kind: 'leaf',
  name: 'why',
  summary: 'Explain why a runner died, with the evidence for and against',
  description:
    'Reads GitHub, the pod, events, the audit log, logs, the journal of the node and the cgroup for one runner, and names the cause of its end: one sentence, the timeline, what supports the cause and what contradicts it, the blind sources, and what to do next. Without a bundle it reads the live cluster and, with a credential, GitHub; what is gone or forbidden is reported as blind. If signalbox serve recorded the death, and the pod is gone or the record knows more, the record is judged by the rules of this program. Several subjects (a run, or a bundle without a subject) give one answer each.',
  examples: [
    { line: 'signalbox why linux-4vcpu-runner-x7k2p -n arc-runners', what: 'A pod or a runner, live' },
    {
      line: 'signalbox why https://github.com/acme/app/actions/runs/24044771908/job/88310160733',
      what: 'The runner of a job, by its URL',
    },
    { line: 'signalbox why linux-4vcpu-runner-x7k2p --store', what: 'Only from what signalbox serve recorded' },
    { line: 'signalbox why --bundle bundle.tar.gz', what: 'From an evidence bundle, without network' },
    { line: 'signalbox why 88310160733 --bundle bundle/ -o json', what: 'By the id of the job, for a program' },
  ],
  flags: whyFlags,
  positionals: [
    {
      name: 'SUBJECT',
      summary: 'A pod, a runner, the id of a job, the URL of a job or run, or the UID of a recorded pod',
      required: false,
    },
  ],
  exitCodes: {
    0: 'A cause was named.',
    1: 'The verdict is unknown: the evidence names no cause.',
    2: 'The subject or --bundle is missing, or the command line is wrong.',
    3: 'No such subject, nothing could be read, or with --store no server answers.',
  },
  load: () => import('./run.ts'),
}
