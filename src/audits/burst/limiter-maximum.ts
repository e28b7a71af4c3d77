import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { LaneScene } from './lane-scene.ts'
import type { Limiter } from './limiter.ts'
import { limiterRows, nextRow } from './limiter-table.ts'
import { wantsMore } from './limiter.ts'
import type { Ledger } from './ledger.ts'
import { count, someOf } from './wording.ts'

/** The sets have reached their maximum. Checked last: while anything else limits the lane, a higher maximum gains nothing. */
export const declaredMaximum: Limiter = (scene, ledger) => {
  const { sets, holders, lane } = scene
  if (!wantsMore(ledger) || !isLaneAtMax(scene)) return null
  const max = sets.reduce((sum, { maxRunners }) => sum + (maxRunners ?? 0), 0)
  const unemployed = scene.runners.filter(({ hasJob, isIdle }) => !hasJob && !isIdle)
  return {
    class: 'declared-max-reached',
    admits: max,
    evidence: [
      ...sets.map(
        (set) =>
          `${set.namespace}/${set.name} has ${replicasOf(scene, set)} runners, its maxRunners is ${set.maxRunners}`,
      ),
      `${count(scene.waiting?.length ?? 0, 'job waits', 'jobs wait')} for ${lane.label}`,
      ...(unemployed.length === 0
        ? []
        : [
            `${count(unemployed.length, 'runner')} of them neither run nor wait for a job: ${someOf(unemployed.map(({ runner }) => runner.name))}`,
          ]),
    ],
    hint: raiseHint(scene, ledger, { max, isAllAtWork: unemployed.length === 0 }),
    fields: { holders },
  }
}

/** All but the succeeded ones: a failed runner counts as a replica too. */
export function replicasOf({ stage }: LaneScene, set: ScaleSet): number {
  return stage.runnersOfSet(set).filter(({ runner }) => runner.phase !== 'Succeeded').length
}

export function isAtMax(scene: LaneScene, set: ScaleSet): boolean {
  return (
    set.maxRunners !== null &&
    scene.fleet.saw('kubernetes/ephemeralrunners') &&
    replicasOf(scene, set) >= set.maxRunners
  )
}

/** Every set that can take the waiting jobs is at its maximum. */
export function isLaneAtMax(scene: LaneScene): boolean {
  return scene.sets.length > 0 && scene.sets.every((set) => isAtMax(scene, set))
}

/** Raising the maximum helps only up to what the next limiter admits. */
function raiseHint(
  scene: LaneScene,
  ledger: Ledger,
  { max, isAllAtWork }: { readonly max: number; readonly isAllAtWork: boolean },
): string {
  const names = scene.sets.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')
  if (!isAllAtWork)
    return `signalbox audit runtime: free the runners of ${names} that do no work before you change maxRunners`
  if (ledger.room === null)
    return `what the nodes admit could not be read: keep maxRunners of ${names} until signalbox audit capacity has an answer`
  const next = nextRow(limiterRows(scene, ledger))
  if (next === null)
    return `wait for a holder to finish; change maxRunners of ${names} only in source, after signalbox audit capacity`
  if (next.admits <= max)
    return `wait for a holder to finish: ${next.limiter} admits ${next.admits}, so a higher maxRunners of ${names} gains nothing (${next.why})`
  return `wait for a holder to finish, or set maxRunners of ${names} in source to at most ${next.admits}, the number that ${next.limiter} admits (${next.why}); first run signalbox audit capacity contract`
}
