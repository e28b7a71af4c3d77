import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const versionFlags = { output: outputFlag(['table', 'json', 'yaml']) }

export const version: Leaf<typeof versionFlags> = {
  kind: 'leaf',
  name: 'version',
  summary: 'The version of signalbox and of what it runs on',
  description: 'Prints the version of signalbox, of Node, and in a checkout the commit.',
  examples: [
    { line: 'signalbox version', what: 'What is running here?' },
    { line: 'signalbox version -o json', what: 'The same for a bug report' },
  ],
  flags: versionFlags,
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./run.ts'),
}
