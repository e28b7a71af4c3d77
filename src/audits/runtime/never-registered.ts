import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { RunnerState } from '#/core/fleet/runner-state.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import type { RuntimeView } from './view.ts'

export function isNeverRegistered({ runner, isDeleting }: RunnerState, { now, thresholds }: Fleet): boolean {
  const { runnerId, createdAt } = runner
  return runnerId === null && !isDeleting && createdAt !== null && now - createdAt >= thresholds.neverRegistered
}

export function neverRegistered(view: RuntimeView): readonly Finding[] {
  const controller = view.controllers[0]?.controller
  return view.runners
    .filter((state) => isNeverRegistered(state, view.fleet))
    .map((state) => {
      const { runner } = state
      return runnerFinding(state, {
        class: 'never-registered',
        severity: 'warning',
        evidence: [
          `it is ${printAge(runner.createdAt, view.fleet.now)} old and has no runner id`,
          runner.phase === null ? 'it has no phase' : `its phase is ${runner.phase}`,
        ],
        hint:
          controller === undefined
            ? 'no controller found: without one no runner is registered'
            : `kubectl -n ${controller.namespace} logs deployment/${controller.name} | grep ${runner.name} shows why GitHub gave no configuration (credential, rate limit, scale set gone)`,
        gates: gatesFor(state, view, 'gone'),
      })
    })
}
