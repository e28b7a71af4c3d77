import { runtime } from '#/audits/runtime/audit.ts'
import type { Audit } from '#/core/audit/audit.ts'

/** What the gates read besides what the audit runtime does. */
export const REAP_READS: Pick<Audit, 'reads' | 'mentions'> = {
  reads: [
    ...runtime.reads,
    { source: 'processes', weight: 'useful', gives: 'whether a runner executes a job (gate no-worker-process)' },
  ],
  mentions: runtime.mentions ?? [],
}
