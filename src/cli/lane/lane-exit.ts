import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import type { Drain } from '#/core/lane/judge-drain.ts'
import type { LanePlan } from '#/core/lane/plan-change.ts'
import type { CapResult } from '#/runtime/act/set-cap.ts'
import type { LaneOutcome } from './perform-lane.ts'

export function laneExit(outcome: Exclude<LaneOutcome, { kind: 'unread' }>): ExitCode {
  switch (outcome.kind) {
    case 'shown':
      return outcome.plan.kind === 'refused' ? refusedExit(outcome.plan) : EXIT.ok
    case 'declined':
      return EXIT.ok
    case 'acted':
      return actedExit(outcome.result, outcome.drain)
  }
}

function actedExit(result: CapResult | null, drain: Drain | null): ExitCode {
  if (result === null) return drainExit(drain)
  switch (result.kind) {
    case 'refused':
      return refusedExit(result)
    case 'set':
      return result.proof.kind === 'proved' ? drainExit(drain) : EXIT.failed
    case 'failed':
    case 'vanished':
    case 'taken':
    case 'fenced':
      return EXIT.failed
  }
}

function drainExit(drain: Drain | null): ExitCode {
  if (drain === null || drain.kind === 'drained') return EXIT.ok
  return drain.kind === 'blind' ? EXIT.blind : EXIT.failed
}

function refusedExit({ isBlind }: Extract<LanePlan, { kind: 'refused' }>): ExitCode {
  return isBlind ? EXIT.blind : EXIT.refused
}
