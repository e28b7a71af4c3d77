import { beforeAll, describe, expect, it } from 'vitest'
import { readFleetDocument } from '#/adapters/fleet-file/read-fleet-document.ts'
import { runtime } from '#/audits/runtime/audit.ts'
import { blind } from '#/core/basics/observed.ts'
import type { Blind } from '#/core/basics/observed.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import { readFleet } from '#/core/fleet/fleet.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import type { PlannedRemoval } from '#/core/interlock/plan-removals.ts'
import { readSnapshot } from '#/runtime/audit/read-snapshot.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import { openFiles } from '#test/bundles/mutate-judge.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { readRows } from './blindness-fleet.ts'
import { absent, forbidden, paged, removed as filesRemoved, truncated } from './blindness-sources.ts'
import { readFleetFiles, withFile } from './fleet-files.ts'
import { runnersWithJob } from './job-records.ts'
import { EVERY_RUNNER, planReap } from './reap-case.ts'
import { ALL_FLEETS } from './reap-fleets.ts'

const READS = {
  reads: [...runtime.reads, { source: 'processes', weight: 'useful', gives: '' } as const],
  mentions: runtime.mentions ?? [],
}
const SOURCES = READS.reads.map(({ source }) => source)

/** Nothing protects a runner but what the records say: every runner is proposed, no process is seen, none is too young. */
const WEAK = { more: EVERY_RUNNER, minAgeMs: 0, cap: { run: 10_000, set: 10_000 } } as const
const WAITING = '18 14 20095 /home/runner/bin/Runner.Listener run\n'

function withoutWorkers(files: Files): Files {
  return readRows(files, 'ephemeralrunners').reduce((now, { metadata }) => {
    const { namespace = 'default', name } = metadata as { readonly namespace?: string; readonly name: string }
    return withFile(now, `processes/${namespace}/${name}.txt`, WAITING)
  }, files)
}

async function snapshotFrom(files: Files): Promise<Snapshot> {
  const bundle = openFiles(files)
  if ('why' in bundle) throw new Error(bundle.why)
  return readSnapshot(bundle, [READS], readFleetDocument)
}

/** The same fleet, one source of which nobody could read, or nobody asked for. */
function blinded(snapshot: Snapshot, source: string, how: Blind): Snapshot {
  const [first, second = ''] = source.split('/')
  if (first === 'kubernetes') {
    return { ...snapshot, lists: new Map([...snapshot.lists, [second as BundleResource, how]]) }
  }
  if (first === 'logs') return { ...snapshot, logs: how }
  if (first === 'processes') return { ...snapshot, processes: new Map() }
  const part = ({ runners: 'runners', 'queued-jobs': 'queuedJobs', jobs: 'jobs' } as const)[second]
  if (part === undefined) throw new Error(`unknown source ${source}`)
  return { ...snapshot, github: { ...snapshot.github, [part]: how } }
}

const removed = (planned: readonly PlannedRemoval[]): readonly string[] =>
  planned
    .filter(({ decision }) => decision === 'would-remove')
    .flatMap(({ proposal }) => proposal.runners.map(({ runner }) => `${runner.namespace}/${runner.name}`))

type Known = { readonly name: string; readonly snapshot: Snapshot; readonly withJob: ReadonlySet<string> }

describe('reap over every fleet, with all policies and worse ones, no age limit and no process in sight', () => {
  const fleets: Known[] = []
  beforeAll(async () => {
    for (const { folder, name, path } of ALL_FLEETS) {
      const files = await readFleetFiles(path)
      if (readRows(files, 'ephemeralrunners').length === 0) continue
      const snapshot = await snapshotFrom(withoutWorkers(files))
      fleets.push({ name: `${folder}/${name}`, snapshot, withJob: runnersWithJob(files) })
    }
  }, 300_000)

  const unsafe = (change: (snapshot: Snapshot) => Snapshot): readonly string[] =>
    fleets.flatMap(({ name, snapshot, withJob }) =>
      removed(planReap(readFleet(change(snapshot)), WEAK))
        .filter((runner) => withJob.has(runner))
        .map((runner) => `${name}: ${runner}`),
    )

  it('has runners to remove and runners with a job among the candidates, so that the rest proves something', () => {
    const planned = fleets.map(({ snapshot, withJob }) => ({ withJob, plan: planReap(readFleet(snapshot), WEAK) }))
    expect(planned.flatMap(({ plan }) => removed(plan)).length).toBeGreaterThan(200)
    const refused = planned.flatMap(({ plan, withJob }) =>
      plan.filter(({ proposal }) =>
        proposal.runners.some(({ runner }) => withJob.has(`${runner.namespace}/${runner.name}`)),
      ),
    )
    expect(refused.length).toBeGreaterThan(200)
    expect(refused.filter(({ decision }) => decision === 'would-remove')).toEqual([])
  })

  it('never removes a runner that has a job by any record', () => {
    expect(unsafe((snapshot) => snapshot)).toEqual([])
  })

  it.each(SOURCES)('never does so where %s is refused, or was never asked for', (source) => {
    expect(unsafe((snapshot) => blinded(snapshot, source, blind('forbidden', '403')))).toEqual([])
    expect(unsafe((snapshot) => blinded(snapshot, source, blind('not-asked', 'not requested')))).toEqual([])
  })
})

const LOSSES = { forbidden, absent, truncated, paged, removed: filesRemoved } as const

describe('reap over every fleet, as a bundle with the files of one source spoilt', () => {
  const cases = ALL_FLEETS.flatMap(({ folder, name, path }) =>
    (Object.keys(LOSSES) as (keyof typeof LOSSES)[]).map((loss) => [`${folder}/${name}`, loss, path] as const),
  )

  it('is about the fleets of reap too, and about losses in each that hide a job', () => {
    expect(ALL_FLEETS.filter(({ folder }) => folder === 'reap').length).toBe(17)
    expect(cases.length).toBeGreaterThan(500)
  })

  it.each(sampled(cases, 17))(
    '%s: never removes a runner with a job where the files of any one source are %s',
    async (_name, loss, path) => {
      const files = await readFleetFiles(path)
      const withJob = runnersWithJob(files)
      const whole = withoutWorkers(files)
      const unsafe: string[] = []
      for (const source of SOURCES) {
        const spoilt = LOSSES[loss](whole, source)
        if (spoilt === null) continue
        const plan = planReap(readFleet(await snapshotFrom(spoilt)), WEAK)
        unsafe.push(...removed(plan).flatMap((runner) => (withJob.has(runner) ? [`${source}: ${runner}`] : [])))
      }
      expect(unsafe).toEqual([])
    },
    60_000,
  )
})
