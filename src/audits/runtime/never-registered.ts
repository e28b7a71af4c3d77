import { printAge } from '#/core/basics/age.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { gatesFor } from './gates.ts'
import { runnerFinding } from './subject.ts'
import { isNeverRegistered } from '#/core/fleet/traps/never-registered.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

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
