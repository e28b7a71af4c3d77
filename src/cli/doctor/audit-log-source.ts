import type { Check, CheckResult } from './check.ts'
import { ok, skip, warn } from './check.ts'
import type { RunningServer } from './running-server.ts'

const NONE = 'the API server may send none (audit.tokenFile): who deleted a pod is known from --audit-log alone'
const NONE_IN_POD =
  'the API server may send none (audit.existingSecret of the chart, which sets audit.tokenFile): who deleted a pod is not known'

export const auditLogSource: Check = {
  id: 'audit-source',
  title: 'Audit events',
  check: async ({ config, runningServer }) =>
    judgeAuditLogSource(config.audit.tokenFile, await runningServer(), {
      inPod: config.kubernetes.source.kind === 'in-cluster',
    }),
}

export function judgeAuditLogSource(
  tokenFile: string | null,
  server: RunningServer | null,
  { inPod = false }: { /** Where no log of an API server can be read. */ readonly inPod?: boolean } = {},
): CheckResult {
  if (tokenFile === null) return skip(inPod ? NONE_IN_POD : NONE)
  if (server === null) return skip('the API server may send them; no signalbox serve answers here')
  const events = server.count('signalbox_audit_events_total') ?? 0
  if (events > 0) return ok(`the API server sends them: ${events} came`)
  return warn('the API server may send them, and none came yet', {
    cost: 'Who deleted a pod is not known.',
    mend: 'Give the API server --audit-webhook-config-file with /v1/audit of this server, its CA and the token, and --audit-policy-file; docs/install.md, "Who did it", goes through it.',
  })
}
