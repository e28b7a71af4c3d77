import { collect } from '#/cli/commands/collect.ts'
import { completeWords } from '#/cli/commands/complete.ts'
import { completion } from '#/cli/commands/completion.ts'
import { config } from '#/cli/commands/config.ts'
import { doctor } from '#/cli/commands/doctor.ts'
import { help } from '#/cli/commands/help.ts'
import { serve } from '#/cli/commands/serve.ts'
import { signatures } from '#/cli/commands/signatures.ts'
import { timeline } from '#/cli/commands/timeline.ts'
import { version } from '#/cli/commands/version.ts'
import { why } from '#/cli/commands/why.ts'
import type { Group } from '#/cli/grammar/command.ts'

/** Every command, in the order in which help lists them. */
export const root: Group = {
  kind: 'group',
  name: 'signalbox',
  summary: 'Control plane, flight recorder and auditor for self-hosted CI runners on Kubernetes',
  description:
    'Signalbox is built to send jobs to self-hosted CI runners on Kubernetes, to watch every runner, to say why one died, and never to remove one that is working.',
  commands: [serve, doctor, why, collect, timeline, signatures, config, completion, version, help, completeWords],
}
