import { quote } from '#/core/fleet/container-logs.ts'
import { findHandoff } from '#/core/fleet/traps/handoff.ts'
import { deleteRunner } from '#/core/interlock/policy.ts'
import type { Policy } from '#/core/interlock/policy.ts'

export const handoff: Policy = {
  id: 'handoff',
  removes: 'idle runners that got a job which had been cancelled, and that block the lane',
  about:
    "As cancelled-job-handoff of the audit runtime: the runner's log names the job as gone, it took none since, and a job waits for its set (or, with the queue unknown, the set is at its maximum).",
  github: 'not-busy',
  needs: ['kubernetes/ephemeralrunners', 'kubernetes/pods', 'logs'],
  propose: (view) =>
    view.runners.flatMap((state) => {
      const found = findHandoff(state, view)
      if (found === null) return []
      const waiting = found.waiting === null ? 'unknown' : String(found.waiting.length)
      return [deleteRunner(state, [`its log: ${quote(found.line.text)}`, `jobs waiting for its set: ${waiting}`])]
    }),
}
