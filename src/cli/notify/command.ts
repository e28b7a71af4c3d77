import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const notifyTestFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']) } as const

const test: Leaf<typeof notifyTestFlags> = {
  kind: 'leaf',
  name: 'test',
  summary: 'Sends a sample to the channels that are configured',
  description:
    'Sends a notice that is marked as a test to each configured channel, or to the one that is named, and says what became of it. A check run stands at the commit of a job, and a test has none: for github it is looked up whether the App may write check runs for the configured owners, and nothing is written.',
  examples: [
    { line: 'signalbox notify test', what: 'Is anybody told?' },
    { line: 'signalbox notify test slack -o json', what: 'One channel, for a program' },
  ],
  flags: notifyTestFlags,
  positionals: [
    {
      name: 'CHANNEL',
      summary: 'Only this one',
      required: false,
      choices: ['github', 'slack', 'teams', 'webhook'],
    },
  ],
  exitCodes: {
    0: 'Every channel took it.',
    1: 'A channel did not.',
    2: 'The command line is wrong, or no such channel is configured.',
  },
  load: () => import('./test.ts'),
}

export const notify: Group = {
  kind: 'group',
  name: 'notify',
  summary: 'Who is told of deaths',
  description: 'Deaths are told at GitHub, in Slack, in Teams and to a webhook of your own: docs/notifications.md.',
  commands: [test],
}
