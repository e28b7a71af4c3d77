import type { NodeClusterOptions } from '#test/cluster/cluster.ts'
import * as crashes from './deaths/crashes.ts'
import * as others from './deaths/ended-by-others.ts'
import { PIDS_LIMIT, diskFull, filesExhausted, pidsExhausted } from './deaths/exhaustion.ts'
import * as ends from './deaths/job-ends.ts'
import { deadlineExceeded, evictedOwnLimit } from './deaths/limits.ts'
import { oomContainer, oomStep } from './deaths/memory.ts'
import * as never from './deaths/never-started.ts'
import { evictedNodePressure, nodeRemoved, nodeSilent, nodeWithLittleRoom } from './deaths/node.ts'
import { networkFault, runnerOutdated, sessionConflict } from './deaths/refused.ts'
import { NODE } from './neutral-machine.ts'
import type { Act, Recording } from './setup.ts'

/** A careful audit policy: deletes of pods with their options, other changes as metadata. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Request',
      verbs: ['delete', 'deletecollection', 'create'],
      resources: [{ group: '', resources: ['pods/eviction'] }],
    },
    { level: 'Request', verbs: ['delete', 'deletecollection'], resources: [{ group: '', resources: ['pods'] }] },
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    {
      level: 'None',
      resources: [{ group: '', resources: ['events', 'configmaps'] }, { group: 'coordination.k8s.io' }],
    },
    { level: 'Metadata' },
  ],
}

async function ordinaryNode(): Promise<NodeClusterOptions> {
  return {
    nodeName: NODE,
    audit: AUDIT_POLICY,
    users: others.PEOPLE.map((name) => ({ name, groups: ['system:masters'] })),
  }
}

/** As managed clusters have it (`--v=2`); the default kubelet logs far less. */
const TALKATIVE = { logging: { verbosity: 2 } }

function underQuietKubelet(recording: Recording): Recording {
  const { expected } = recording
  const why = `${expected.why} The kubelet runs with its default verbosity: no SyncLoop and no PLEG line.`
  return { ...recording, name: `${recording.name}-quiet-kubelet`, expected: { ...expected, why } }
}

export const ACTS: readonly Act[] = [
  {
    title: 'an ordinary node',
    options: async () => ({ ...(await ordinaryNode()), kubeletConfig: { podPidsLimit: PIDS_LIMIT, ...TALKATIVE } }),
    recordings: [
      never.imagePull,
      never.unschedulable,
      never.quotaExceeded,
      never.missingSecret,
      never.badCommand,
      never.failedInit,
      oomContainer,
      oomStep,
      evictedOwnLimit,
      deadlineExceeded,
      others.gracefulDelete,
      others.gracefulPreemption,
      others.gracefulLiveness,
      others.drainWithoutTrap,
      others.forceDeleted,
      crashes.killedInContainer,
      crashes.segmentationFault,
      crashes.foldedFault,
      crashes.abort,
      crashes.shimKilled,
      pidsExhausted,
      diskFull,
      filesExhausted,
      ends.completedThenReaped,
      ends.handshakeLost,
      ends.jobFailed,
      ends.jobCancelled,
      ends.jobTimedOut,
      ends.noJobAssigned,
      runnerOutdated,
      networkFault,
      sessionConflict,
      // Last, because the kubelet retries forever to stop a sandbox that never existed, and logs it.
      never.degradedNode,
    ],
  },
  {
    title: 'a node whose kubelet logs little',
    options: ordinaryNode,
    recordings: [
      others.gracefulDelete,
      others.drainWithoutTrap,
      others.forceDeleted,
      crashes.killedInContainer,
      crashes.shimKilled,
      ends.completedThenReaped,
    ].map(underQuietKubelet),
  },
  {
    title: 'a node with little room',
    options: async () => ({ ...(await ordinaryNode()), ...(await nodeWithLittleRoom()) }),
    recordings: [evictedNodePressure],
  },
  { title: 'a node that falls silent', options: ordinaryNode, recordings: [nodeSilent] },
  { title: 'a node that is taken away', options: ordinaryNode, recordings: [nodeRemoved] },
]
