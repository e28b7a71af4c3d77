import type { SourceUse } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { LISTENER_MENTIONS } from '#/core/fleet/listener-state.ts'
import { GIVEN_UP } from '#/core/fleet/runner-crashes.ts'
import { RUNNER_MENTIONS } from '#/core/fleet/runner-log.ts'
import { findSource } from '#/core/fleet/find-source.ts'
import { CHANGE_MENTIONS } from '#/core/fleet/traps/last-change.ts'
import { REFERENCE_MENTIONS } from './listener-reference.ts'
import { OUTDATED_MENTIONS } from '#/core/fleet/traps/outdated.ts'

/** ARC's objects and the pods: without one of them no set can be called healthy. */
export const ARC_SOURCES: readonly SourceUse[] = [
  {
    source: 'kubernetes/autoscalingrunnersets',
    weight: 'needed',
    gives: 'which sets exist, with phase and version',
  },
  { source: 'kubernetes/autoscalinglisteners', weight: 'needed', gives: 'whether each set has a listener' },
  { source: 'kubernetes/ephemeralrunnersets', weight: 'needed', gives: 'how many generations a set has' },
  { source: 'kubernetes/ephemeralrunners', weight: 'needed', gives: 'the runners and their recorded jobs' },
  { source: 'kubernetes/pods', weight: 'needed', gives: 'whether listeners and runners run' },
]

export const FURTHER_SOURCES: readonly SourceUse[] = [
  { source: 'kubernetes/deployments', weight: 'useful', gives: "the controller's version" },
  { source: 'kubernetes/events', weight: 'useful', gives: 'listeners that are re-created repeatedly' },
  { source: 'logs', weight: 'useful', gives: 'errors of runners, listeners and the controller' },
]

export const RUNTIME_MENTIONS: readonly string[] = [
  ...LISTENER_MENTIONS,
  ...RUNNER_MENTIONS,
  ...CHANGE_MENTIONS,
  ...OUTDATED_MENTIONS,
  ...REFERENCE_MENTIONS,
  GIVEN_UP,
]

/** Applies to a cluster with ARC, or if its sets could not be read. */
export function hasScaleSets(fleet: Fleet): boolean {
  const sets = findSource(fleet.snapshot, 'kubernetes/autoscalingrunnersets')
  const isRefused = sets.kind === 'blind' && sets.reason.code !== 'not-asked'
  return isRefused || fleet.sets.length + fleet.runners.length + fleet.listeners.length > 0
}
