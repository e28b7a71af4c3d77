import { toDeath } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import type { DeathRecord } from '#/ports/store/deaths.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'

const BLANK = {
  workflow: null,
  actor: null,
  job: null,
  sentence: 'The node went away under the pod.',
  next: ['Ask the cloud.'],
  exitCode: 137,
  signal: 9,
  reason: 'Error',
  message: null,
  blind: [{ source: 'journal/n7', reason: 'unreachable: no agent serves n7' }],
}

const ROW = {
  namespace: 'arc',
  node: 'n7',
  pool: 'linux',
  repository: null,
  runner: null,
  missed: false,
  diedAt: NOON_MS,
  cause: 'node-lost',
  kind: 'death',
  confidence: 0.9,
}

/** As the store keeps it, judged by default. */
export function someRow(uid: string, given: Partial<Death> = {}): DeathRecord {
  const all = { ...ROW, ...BLANK, pod: `runner-${uid}`, ...given }
  const { namespace, pod, node, pool, repository, runner, missed, diedAt, cause, kind, confidence, job, ...document } =
    all
  const verdict = { cause, kind, confidence, rules: '1', judgedAt: diedAt, document: { ...document, job } }
  const names = { uid, namespace, pod, node, pool, repository, runner }
  return { ...names, scope: null, job: job?.id ?? null, missed, diedAt, recordedAt: diedAt, verdict }
}

export function someDeath(uid: string, given: Partial<Death> = {}): Death {
  return toDeath(someRow(uid, given))
}
