import type { Death } from '#/core/recorder/death.ts'
import type { LogFields } from '#/ports/log.ts'

/** One log line per death, for people who search their log store. The keys are stable. */
export function deathLine(death: Death): LogFields {
  const { namespace, pod, uid, node, pool, exitCode, signal, reason, message, cause, kind, confidence } = death
  const own = { uid, node, pool, exitCode, signal, reason, message, cause, kind, confidence }
  const job = death.job?.url ?? death.job?.id ?? death.job?.name ?? null
  return { pod: `${namespace}/${pod}`, ...own, job, actor: death.actor, missed: death.missed, sentence: death.sentence }
}
