import type { Group, Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const notifyTestFlags = { output: outputFlag(['table', 'json', 'yaml', 'markdown']) } as const

const test: Leaf<typeof notifyTestFlags> = {
  kind: 'leaf',
  name: 'test',
  summary: 'Send a test notification to the configured channels',
  description:
    'Sends a notification marked as a test to each configured channel, or to the given one, and reports the result. A check run needs the commit of a job, and a test has none: for github it only checks whether the App can write check runs for the configured owners, and writes nothing.',
  examples: [
    { line: 'signalbox notify test', what: 'Do notifications arrive?' },
    { line: 'signalbox notify test slack -o json', what: 'One channel, for a program' },
  ],
  flags: notifyTestFlags,
  positionals: [
    {
      name: 'CHANNEL',
      summary: 'Only this channel',
      required: false,
      choices: ['github', 'slack', 'teams', 'webhook'],
    },
  ],
  exitCodes: {
    0: 'Every channel accepted it.',
    1: 'A channel did not accept it.',
    2: 'The command line is wrong, or no such channel is configured.',
  },
  load: () => import('./test.ts'),
}

export const notify: Group = {
  kind: 'group',
  name: 'notify',
  summary: 'Notifications about deaths',
  description: 'Deaths are reported in GitHub check runs, Slack, Teams and your own webhook: docs/notifications.md.',
  commands: [test],
}
