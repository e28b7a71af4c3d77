import type { Finding } from '#/core/audit/finding.ts'
import { runnerFinding } from './subject.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

export function crashLoops({ runners, fleet }: RuntimeView): readonly Finding[] {
  const minutes = Math.round(fleet.thresholds.crashLoopWindow / 60_000)
  return runners
    .filter(({ isCrashLooping }) => isCrashLooping)
    .map((state) => {
      const { runner, crashes } = state
      return runnerFinding(state, {
        class: 'runner-crash-loop',
        severity: 'warning',
        evidence: [
          `ready is ${runner.ready ?? 'absent'}, entries in its failures map: ${crashes.own}`,
          ...(crashes.others > 0
            ? [`other pods of its set that failed within a minute of their start: ${crashes.others}`]
            : []),
          ...(crashes.givenUp > 0
            ? [`runners of the set that the controller gave up on in the last ${minutes} minutes: ${crashes.givenUp}`]
            : []),
        ],
        hint: `fix the image or the entry point of the set: if you delete ${runner.name}, ARC only creates another; kubectl -n ${runner.namespace} logs ${runner.name} -c runner shows how it ends`,
        fields: { failures: crashes.own, shortLives: crashes.own + crashes.others },
      })
    })
}
