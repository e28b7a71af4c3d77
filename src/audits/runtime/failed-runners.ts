import type { Finding } from '#/core/audit/finding.ts'
import { gatesForAll } from './gates.ts'
import { names } from '#/core/fleet/traps/rollover.ts'
import { setSubject } from './subject.ts'
import type { RuntimeView } from '#/core/fleet/traps/view.ts'

/** ARC counts a failed runner as a replica forever and never retries it. */
export function failedRunners(view: RuntimeView): readonly Finding[] {
  return view.sets.flatMap((own): readonly Finding[] => {
    const failed = own.states.filter(({ runner, isDeleting }) => runner.phase === 'Failed' && !isDeleting)
    const [first] = failed
    if (first === undefined) return []
    const { set } = own
    const free = failed.filter(({ hasJob }) => !hasJob)
    const command =
      free.length === 0
        ? 'leave them: they have a job'
        : `then kubectl -n ${set.namespace} delete ephemeralrunner ${free.map(({ runner }) => runner.name).join(' ')}`
    return [
      {
        class: 'failed-runners-hold-capacity',
        severity: 'warning',
        subject: setSubject(set),
        evidence: [
          `Failed (${failed.length} of ${own.states.length} runners): ${names(failed)}; maxRunners is ${set.maxRunners ?? 'unlimited'}`,
          `${first.runner.name}: ${first.runner.reason ?? 'no reason'}: ${(first.runner.message ?? 'no message').slice(0, 300)}`,
        ],
        hint: `first fix what refuses the pod, or the next ones fail too; ${command}`,
        gates: gatesForAll(failed, view, 'gone'),
        fields: { failed: failed.length, maxRunners: set.maxRunners, runners: failed.map(({ runner }) => runner.name) },
      },
    ]
  })
}
