import type { Leaf } from '#/cli/frame/command.ts'
import { outputFlag } from '#/cli/frame/shared-flags.ts'

export const versionFlags = { output: outputFlag(['table', 'json', 'yaml']) }

export const version: Leaf<typeof versionFlags> = {
  kind: 'leaf',
  name: 'version',
  summary: 'Print the versions of signalbox and Node',
  description: 'Prints the versions of signalbox and Node, and in a checkout the commit.',
  examples: [
    { line: 'signalbox version', what: 'What runs here?' },
    { line: 'signalbox version -o json', what: 'For a bug report' },
  ],
  flags: versionFlags,
  positionals: [],
  exitCodes: { 0: 'Always.' },
  load: () => import('./run.ts'),
}
