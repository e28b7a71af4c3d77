import type { Deaths } from '#/ports/store/deaths.ts'
import type { LivePods } from '#/ports/store/live-pods.ts'
import type { RecordingMeans } from '#/runtime/recorder/save-death.ts'
import { rejudgePage } from '#/runtime/recorder/rejudge.ts'
import { guardedApi } from '#/server/app.ts'
import type { Guards } from '#/server/access/auth.ts'
import { deathsApi } from '#/server/deaths.ts'
import type { DeathsOptions } from '#/server/deaths.ts'
import type { JudgingPart } from './judging-threads.ts'
import { nothingToDispose } from '#/app/part/part.ts'
import type { Part, PartMeans } from '#/app/part/part.ts'

type Means = PartMeans &
  Pick<JudgingPart, 'pack'> & {
    readonly guards: Guards
    readonly deaths: Deaths
    readonly livePods: LivePods
    readonly judging: Pick<RecordingMeans, 'judge' | 'rules'>
    readonly awaited: NonNullable<DeathsOptions['awaited']>
    readonly admit: DeathsOptions['admit']
  }

/** Each judges a whole page. */
const MOST_REJUDGES = 2

/** `/v1/deaths` and its description, for whom the guards let in. */
export function openDeathsApi({ guards, deaths, livePods, judging, pack, clock, awaited, admit, log }: Means): Part {
  const api = deathsApi({
    guards,
    deaths,
    livePods,
    pack,
    awaited,
    rejudge: async ({ actor, ...asked }) => {
      const page = await rejudgePage(judging, deaths, { ...asked, now: clock.now() })
      if (asked.apply) log.info('verdicts changed', { actor, judged: page.judged, changed: page.changed.length })
      return page
    },
    admit,
    mostRejudges: MOST_REJUDGES,
  })
  return { routes: guardedApi({ guards, deaths: api }), dispose: nothingToDispose }
}
