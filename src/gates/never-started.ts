import { blind, none, seen } from '#/core/basics/observed.ts'
import type { PodSigns } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { exampleContainer } from '#/core/interlock/example-container.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'
import type { ContainerFacts } from '#/core/kubernetes/pod-facts.ts'
import { runnerCandidates } from '#/core/kubernetes/runner-container.ts'

const { now } = EXAMPLE_CANDIDATE
const withPod = (change: Partial<PodSigns>) => ({
  pod: readAt(now, seen({ phase: 'Pending', node: 'node-1', containers: [], jobPods: [], ...change })),
})
const WAITING = { kind: 'waiting', reason: 'ContainerCreating', message: null } as const
const RUNNING = { kind: 'running', startedAt: now - 60_000 } as const
const ENDED = {
  kind: 'terminated',
  id: null,
  exitCode: 0,
  signal: null,
  reason: 'Completed',
  message: null,
  startedAt: now - 60_000,
  finishedAt: now - 1_000,
} as const

function isUntouched({ state, last }: ContainerFacts): boolean {
  return state.kind === 'waiting' && last.kind === 'unknown'
}

function hasRun({ state, last, restarts }: ContainerFacts): boolean {
  return state.kind === 'running' || state.kind === 'terminated' || last.kind !== 'unknown' || restarts > 0
}

export const neverStarted: Gate = {
  id: 'never-started',
  proof: 'the runner container never ran: no state but `waiting`, no `lastState`',
  about:
    'For pods that were stamped for an owner that no slot knows. A runner that started, or has ended, may have had a job, whatever our records say. Where it is not clear which container is the runner, the proof must hold for each that may be it.',
  toSeeIt: 'grant list on pods (deploy/observe/clusterrole.yaml)',
  check: ({ pod }) => {
    const { observed } = pod
    if (observed.kind === 'blind') return cannotSee(observed.reason, pod)
    if (observed.kind === 'none') return refuses('the pod is gone: nothing shows whether it ran', pod)
    const { containers, node, phase } = observed.value
    const candidates = runnerCandidates({ containers })
    const started = candidates.find(hasRun)
    if (started !== undefined) return refuses(`container ${started.name} has run (${started.state.kind})`, pod)
    if (phase !== null && phase !== 'Pending') return refuses(`the pod is ${phase}`, pod)
    if (candidates.length === 0 && node === null) return holds('no node was chosen for the pod', pod)
    return candidates.length > 0 && candidates.every(isUntouched)
      ? holds(`container ${candidates.map(({ name }) => name).join(', ')} waits and has never run`, pod)
      : cannotSee(blind('malformed', 'the kubelet has not reported the state of the runner container').reason, pod)
  },
  examples: {
    holds: [
      {
        when: 'the runner container waits for its image',
        candidate: withPod({ containers: [exampleContainer('runner', WAITING)] }),
      },
      { when: 'no node was chosen', candidate: withPod({ node: null }) },
    ],
    refuses: [
      {
        when: 'the runner container runs',
        candidate: withPod({ phase: 'Running', containers: [exampleContainer('runner', RUNNING)] }),
      },
      {
        when: 'the runner container has ended',
        candidate: withPod({ phase: 'Succeeded', containers: [exampleContainer('runner', ENDED)] }),
      },
      {
        when: 'it waits to be started again',
        candidate: withPod({ containers: [exampleContainer('runner', WAITING, ENDED)] }),
      },
      {
        when: 'one of two containers that may be the runner runs',
        candidate: withPod({ containers: [exampleContainer('first', WAITING), exampleContainer('second', RUNNING)] }),
      },
      { when: 'the pod is gone', candidate: { pod: readAt(now, none()) } },
    ],
    blind: [
      { when: 'pods could not be read', candidate: { pod: readAt(now, blind('forbidden', '403')) } },
      { when: 'the kubelet has reported nothing yet', candidate: withPod({}) },
    ],
  },
}
