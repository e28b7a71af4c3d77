import type { Death } from '#/core/recorder/death.ts'
import type { Notice } from '#/core/notify/notice.ts'

/** A made-up notice, to test a channel. */
export function sampleNotice(now: number): Notice {
  const death: Death = {
    uid: '00000000-0000-0000-0000-000000000000',
    namespace: 'arc-runners',
    pod: 'sample-runner',
    node: 'sample-node',
    pool: 'sample',
    runner: 'sample-runner',
    repository: null,
    workflow: null,
    job: null,
    diedAt: now,
    recordedAt: now,
    cause: 'oom-container',
    kind: 'death',
    confidence: 0.99,
    actor: null,
    sentence: 'The runner was killed by the kernel because its container reached its memory limit.',
    next: ['Nothing: this runner is made up.'],
    exitCode: 137,
    signal: 9,
    reason: 'OOMKilled',
    message: null,
    blind: [],
    missed: false,
  }
  const about = { shared: { by: 'node', node: 'sample-node' }, deaths: [death], others: 0, from: now, to: now } as const
  return { id: `test-${now}`, issuedAt: now, since: now, about, more: null, isTest: true }
}
