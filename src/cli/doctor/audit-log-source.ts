import type { Check, CheckResult } from './check.ts'
import { ok, skip, warn } from './check.ts'
import type { RunningServer } from './running-server.ts'

const NONE =
  'not accepted from the API server (audit.tokenFile is not set): who deleted a pod is known only with --audit-log'
const NONE_IN_POD =
  "not accepted from the API server (set the chart's audit.existingSecret, which sets audit.tokenFile): who deleted a pod is not known"

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
  if (server === null) return skip('accepted from the API server; signalbox serve is not running here')
  const events = server.count('signalbox_audit_events_total') ?? 0
  if (events > 0) return ok(`${events} received from the API server`)
  return warn('accepted from the API server, but none received yet', {
    cost: 'Who deleted a pod is not known.',
    fix: 'Start the API server with --audit-webhook-config-file (/v1/audit of this server, its CA, the token) and --audit-policy-file: see docs/install.md, "Who did it".',
  })
}
