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
  force: { kind: 'switch', summary: 'Replace an existing file' },
  ...serverFlags,
} as const

export const exportCommand: Leaf<typeof exportFlags> = {
  kind: 'leaf',
  name: 'export',
  summary: 'The evidence of a recorded death as a bundle',
  description:
    'Writes the stored evidence of one death as a bundle, redacted as it was when recorded. signalbox why --bundle and signalbox timeline --bundle read it. If several deaths have that name, the latest is used.',
  examples: [
    { line: 'signalbox export linux-4vcpu-runner-x7k2p -o death.tar.gz', what: 'By the name of the pod or runner' },
    { line: 'signalbox export 0b6a4e0e-8a51-4a37-9d43-c1d4f3d7a0b5 -o death.tar.gz', what: "By the pod's UID" },
    {
      line: 'signalbox export linux-4vcpu-runner-x7k2p -o - > death.tar.gz',
      what: 'To stdout: use it after kubectl exec deploy/signalbox -- to copy it out of the pod',
    },
  ],
  flags: exportFlags,
  positionals: [
    {
      name: 'NAME',
      summary: 'The pod, the runner, the UID of the pod, or the id or URL of the job',
      required: true,
    },
  ],
  exitCodes: {
    0: 'The bundle was written.',
    2: 'The command line is wrong, or the file exists.',
    3: 'No server answers, there is no such death, or no evidence of it is kept.',
  },
  load: () => import('./run.ts'),
}
