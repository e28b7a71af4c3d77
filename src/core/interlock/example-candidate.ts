import { blind, none, seen } from '#/core/basics/observed.ts'
import type { CandidateSnapshot } from './candidate-snapshot.ts'
import { readAt } from './reading.ts'

const NOW = 1_780_315_200_000
const READ = NOW - 3_000

const OWN = { uid: '11111111-1111-4111-8111-111111111111', generation: 1, owner: 'EphemeralRunnerSet lane-a-x7k2p' }

/** A runner without a job that GitHub lists as offline, whose pod has ended: every gate that can hold before an act holds. */
export const EXAMPLE_CANDIDATE: CandidateSnapshot = {
  subject: { kind: 'EphemeralRunner', namespace: 'arc-runners', name: 'lane-a-x7k2p-runner-9fqzt' },
  now: NOW,
  terms: { github: 'gone', minAgeMs: 600_000, freshMs: 600_000 },
  proposed: OWN,
  object: readAt(READ, seen({ ...OWN, isDeleting: false })),
  record: readAt(READ, seen({ job: null, slot: null, mark: null })),
  github: readAt(READ, seen({ id: 4711, isOnline: false, isBusy: false })),
  githubJob: readAt(READ, none()),
  deregistration: readAt(NOW, blind('not-asked', 'only the act asks GitHub to remove it')),
  pod: readAt(READ, seen({ phase: 'Failed', node: 'node-1', containers: [], jobPods: [] })),
  processes: readAt(READ, blind('not-asked', 'its processes were not read')),
  log: readAt(READ, blind('not-asked', 'its log was not read')),
  vitals: readAt(READ, blind('not-asked', 'its log has no vitals line')),
  createdAt: readAt(READ, seen(NOW - 3_600_000)),
  listener: readAt(READ, seen({ condition: 'healthy', isDown: false, evidence: 'pod lane-a-listener runs' })),
  lists: [{ source: 'github/runners', rows: seen(12), at: READ, notEmpty: null }],
  room: readAt(NOW, seen({ needs: 1, run: { used: 0, most: 10 }, set: { used: 0, most: 10 } })),
  evidence: readAt(NOW, blind('not-asked', 'only the act stores the evidence')),
}
