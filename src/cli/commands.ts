import { agent } from '#/cli/agent/command.ts'
import { audit } from '#/cli/audit/command.ts'
import { breakers } from '#/cli/breakers/command.ts'
import { collect } from '#/cli/collect/command.ts'
import { completeWords } from '#/cli/complete/command.ts'
import { completion } from '#/cli/completion/command.ts'
import { config } from '#/cli/config/command.ts'
import { deaths } from '#/cli/deaths/command.ts'
import { doctor } from '#/cli/doctor/command.ts'
import { exportCommand } from '#/cli/export/command.ts'
import { explain } from '#/cli/explain/command.ts'
import { finalizers } from '#/cli/finalizers/command.ts'
import { fleet } from '#/cli/fleet/command.ts'
import { github } from '#/cli/github/command.ts'
import { guard } from '#/cli/guard/command.ts'
import { help } from '#/cli/help/command.ts'
import { jobs } from '#/cli/jobs/command.ts'
import { lane } from '#/cli/lane/command.ts'
import { ledger } from '#/cli/ledger/command.ts'
import { lint } from '#/cli/lint/command.ts'
import { notify } from '#/cli/notify/command.ts'
import { pools } from '#/cli/pools/command.ts'
import { preflight } from '#/cli/preflight/command.ts'
import { pullSecrets } from '#/cli/pull-secrets/command.ts'
import { queue } from '#/cli/queue/command.ts'
import { reap } from '#/cli/reap/command.ts'
import { recover } from '#/cli/recover/command.ts'
import { rejudge } from '#/cli/rejudge/command.ts'
import { runners } from '#/cli/runners/command.ts'
import { serve } from '#/cli/serve/command.ts'
import { signatures } from '#/cli/signatures/command.ts'
import { store } from '#/cli/store/command.ts'
import { timeline } from '#/cli/timeline/command.ts'
import { token } from '#/cli/token/command.ts'
import { version } from '#/cli/version/command.ts'
import { why } from '#/cli/why/command.ts'
import type { Group } from '#/cli/frame/command.ts'

/** Every command, in the order in which help lists them. */
export const root: Group = {
  kind: 'group',
  name: 'signalbox',
  summary: 'Control plane, flight recorder and auditor for self-hosted CI runners on Kubernetes',
  description:
    'Signalbox watches self-hosted CI runners on Kubernetes, records why each one died, and audits the fleet.',
  commands: [
    serve,
    agent,
    doctor,
    why,
    deaths,
    exportCommand,
    rejudge,
    ledger,
    queue,
    jobs,
    runners,
    pools,
    recover,
    breakers,
    finalizers,
    token,
    github,
    notify,
    audit,
    explain,
    preflight,
    reap,
    guard,
    lane,
    pullSecrets,
    collect,
    timeline,
    fleet,
    lint,
    signatures,
    store,
    config,
    completion,
    version,
    help,
    completeWords,
  ],
}
