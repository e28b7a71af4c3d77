import { agent } from '#/cli/commands/agent.ts'
import { audit } from '#/cli/commands/audit.ts'
import { collect } from '#/cli/commands/collect.ts'
import { completeWords } from '#/cli/commands/complete.ts'
import { completion } from '#/cli/commands/completion.ts'
import { config } from '#/cli/commands/config.ts'
import { deaths } from '#/cli/commands/deaths.ts'
import { doctor } from '#/cli/commands/doctor.ts'
import { exportCommand } from '#/cli/commands/export.ts'
import { explain } from '#/cli/commands/explain.ts'
import { fleet } from '#/cli/commands/fleet.ts'
import { help } from '#/cli/commands/help.ts'
import { lint } from '#/cli/commands/lint.ts'
import { notify } from '#/cli/commands/notify.ts'
import { preflight } from '#/cli/commands/preflight.ts'
import { pullSecrets } from '#/cli/commands/pull-secrets.ts'
import { rejudge } from '#/cli/commands/rejudge.ts'
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
  commands: [
    serve,
    agent,
    doctor,
    why,
    deaths,
    exportCommand,
    rejudge,
    notify,
    audit,
    explain,
    preflight,
    pullSecrets,
    collect,
    timeline,
    fleet,
    lint,
    signatures,
    config,
    completion,
    version,
    help,
    completeWords,
  ],
}
