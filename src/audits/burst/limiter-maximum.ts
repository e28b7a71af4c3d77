import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LaneView } from './view.ts'
import type { Limiter } from './limiter.ts'
import { limiterRows, nextRow } from './limiter-table.ts'
import { wantsMore } from './limiter.ts'
import type { LaneNumbers } from './lane-numbers.ts'
import { count, listSome } from './format.ts'

/** The sets have reached their maximum. Checked last: while anything else limits the lane, a higher maximum gains nothing. */
export const declaredMaximum: Limiter = (view, numbers) => {
  const { sets, holders, lane } = view
  if (!wantsMore(numbers) || !isLaneAtMax(view)) return null
  const max = sets.reduce((sum, { maxRunners }) => sum + (maxRunners ?? 0), 0)
  const unemployed = view.runners.filter(({ hasJob, isIdle }) => !hasJob && !isIdle)
  return {
    class: 'declared-max-reached',
    admits: max,
    evidence: [
      ...sets.map(
        (set) =>
          `${set.namespace}/${set.name} has ${countReplicas(view, set)} runners, its maxRunners is ${set.maxRunners}`,
      ),
      `${count(view.waiting?.length ?? 0, 'job waits', 'jobs wait')} for ${lane.label}`,
      ...(unemployed.length === 0
        ? []
        : [
            `${count(unemployed.length, 'runner')} of them neither run nor wait for a job: ${listSome(unemployed.map(({ runner }) => runner.name))}`,
          ]),
    ],
    hint: raiseHint(view, numbers, { max, isAllAtWork: unemployed.length === 0 }),
    fields: { holders },
  }
}

/** All but the succeeded ones: a failed runner counts as a replica too. */
export function countReplicas({ burst }: LaneView, set: ScaleSet): number {
  return burst.setRunners(set).filter(({ runner }) => runner.phase !== 'Succeeded').length
}

export function isAtMax(view: LaneView, set: ScaleSet): boolean {
  return (
    set.maxRunners !== null &&
    view.fleet.saw('kubernetes/ephemeralrunners') &&
    countReplicas(view, set) >= set.maxRunners
  )
}

/** Every set that can take the waiting jobs is at its maximum. */
export function isLaneAtMax(view: LaneView): boolean {
  return view.sets.length > 0 && view.sets.every((set) => isAtMax(view, set))
}

/** Raising the maximum helps only up to what the next limiter admits. */
function raiseHint(
  view: LaneView,
  numbers: LaneNumbers,
  { max, isAllAtWork }: { readonly max: number; readonly isAllAtWork: boolean },
): string {
  const names = view.sets.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')
  if (!isAllAtWork)
    return `signalbox audit runtime: free the runners of ${names} that do no work before you change maxRunners`
  if (numbers.room === null)
    return `what the nodes admit could not be read: keep maxRunners of ${names} until signalbox audit capacity has an answer`
  const next = nextRow(limiterRows(view, numbers))
  if (next === null)
    return `wait for a holder to finish; change maxRunners of ${names} only in source, after signalbox audit capacity`
  if (next.admits <= max)
    return `wait for a holder to finish: ${next.limiter} admits ${next.admits}, so a higher maxRunners of ${names} gains nothing (${next.why})`
  return `wait for a holder to finish, or set maxRunners of ${names} in source to at most ${next.admits}, the number that ${next.limiter} admits (${next.why}); first run signalbox audit capacity contract`
}
