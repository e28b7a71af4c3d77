import { serverFlags } from '#/cli/api-client/server-flags.ts'
import type { Leaf } from '#/cli/frame/command.ts'

export const exportFlags = {
  output: {
    kind: 'option',
    short: 'o',
    value: 'FILE',
    completes: 'file',
    summary: 'The bundle to write: a .tar.gz, or - for stdout',
  },
  force: { kind: 'switch', summary: 'Replaces a file of that name' },
  ...serverFlags,
} as const

export const exportCommand: Leaf<typeof exportFlags> = {
  kind: 'leaf',
  name: 'export',
  summary: 'The evidence of a recorded death as a bundle',
  description:
    'Writes what was recorded of one death as an evidence bundle, as it was seen and redacted then: signalbox why --bundle and signalbox timeline --bundle read it. Of several deaths of one name the latest is meant.',
  examples: [
    { line: 'signalbox export linux-4vcpu-runner-x7k2p -o death.tar.gz', what: 'By the name of the pod or runner' },
    { line: 'signalbox export 0b6a4e0e-8a51-4a37-9d43-c1d4f3d7a0b5 -o death.tar.gz', what: "By the pod's UID" },
    {
      line: 'signalbox export linux-4vcpu-runner-x7k2p -o - > death.tar.gz',
      what: 'To stdout: after kubectl exec deploy/signalbox -- it comes out of the pod',
    },
  ],
  flags: exportFlags,
  positionals: [
    {
      name: 'NAME',
      summary: 'The pod, the runner, the UID of the pod, or the number or address of the job',
      required: true,
    },
  ],
  exitCodes: {
    0: 'It is written.',
    2: 'The command line is wrong, or the file exists.',
    3: 'No server answers, there is no such death, or nothing is kept of it.',
  },
  load: () => import('./run.ts'),
}
