import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { readRecordings } from '#/app/replay-recordings.ts'
import { healthyPlay } from '#/sim/replay/healthy-runner.ts'
import { createPlay, STARTS_WITHIN_MS } from '#/sim/replay/play.ts'
import type { Recording } from '#/sim/replay/recording.ts'
import { openReplay } from '#/sim/replay/replay.ts'
import type { Replay } from '#/sim/replay/replay.ts'
import { renameRecording } from '#/sim/replay/rename-recording.ts'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import { startRecorder } from '#test/recorder/start-recorder.ts'
import type { RunningRecorder } from '#test/recorder/start-recorder.ts'
import type { Store } from '#/ports/store/store.ts'
import { until } from '#test/cluster/until.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { openPostgresStore } from '#test/store/open-postgres-store.ts'
import { connectGitHub, connectReplay } from './connect-replay.ts'

const { connectionString } = await testDatabase()
const recordings = await readRecordings(path.resolve('recordings'), new AbortController().signal)

const PLAYED_MS = 300_000
const DIES_IN_MS = 5000
const SELECTOR = 'actions.github.com/scale-set-name'

function readExpected(name: string): { readonly cause: string; readonly actor: string | null } {
  if (name === 'healthy') return { cause: 'completed-normally', actor: null }
  const known = KNOWN_BUNDLES.find(({ archive }) => archive.endsWith(path.join('recorded', `${name}.tar.gz`)))
  if (known === undefined) throw new Error(`no expected cause for ${name}`)
  return known.expected
}

/** All at once, each on its own node; returns which recording a pod plays. */
function playAll(replay: Replay, all: readonly Recording[]): ReadonlyMap<string, string> {
  return new Map(
    all.map((recording, index) => {
      const dieAt = systemClock.now() + DIES_IN_MS
      const shiftSeconds = Math.round((dieAt - createPlay(recording).endsAt) / 1000)
      const cast = { suffix: `x${1000 + index}`, node: `replay-${index}`, jobOffset: index * 1000 }
      const play = createPlay(renameRecording(recording, { ...cast, githubUrl: replay.githubUrl, shiftSeconds }))
      replay.world.begin(play)
      return [play.uid, recording.name]
    }),
  )
}

const CLEAN = '00000000-0000-4000-a000-000000000001'

/** A runner that takes its job, finishes it and exits within seconds. */
function playHealthy(replay: Replay): void {
  const bornAt = systemClock.now() - 2000
  const pool = { namespace: 'ci-web', scaleSet: 'web-2x4', job: 'unit' }
  const made = {
    uid: CLEAN,
    containerId: 'c'.repeat(64),
    jobGuid: CLEAN,
    node: 'n1',
    pod: 'web-2x4-abcde-runner-fghij',
  }
  replay.world.begin(healthyPlay({ pool, ...made, bornAt, endsAt: bornAt + 10_000 }))
}

async function watching(recorder: RunningRecorder): Promise<void> {
  const probe = async () => (/^signalbox_watched_pods\S* 2$/m.test(recorder.exposed()) ? true : undefined)
  await until({
    what: 'the healthy runners to be watched',
    timeoutMs: 60_000,
    probe,
    explain: async () => recorder.exposed(),
  })
}

/** A death is reported when the spool has it; the store follows. */
async function storedCauses(
  { deaths }: Pick<Store, 'deaths'>,
  plays: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const read = async () => {
    const rows = await deaths.list({ limit: 1000 })
    return new Map(rows.flatMap(({ uid, verdict }) => (verdict === null ? [] : [[uid, verdict.cause]])))
  }
  const listUnstored = async () => {
    const causes = await read()
    return [...plays.keys()].filter((uid) => !causes.has(uid))
  }
  const probe = async () => ((await listUnstored()).length === 0 ? await read() : undefined)
  const explain = async () => (await listUnstored()).join('\n')
  return await until({ what: 'every verdict to be stored', timeoutMs: 120_000, probe, explain })
}

async function recordAll(all: readonly Recording[]) {
  const stop = new AbortController()
  const { store, close } = openPostgresStore(connectionString)
  await using replay = await openReplay({ recordings: [], clock: systemClock, seed: 1, paceMs: 1000, healthy: 2 })
  await using kubernetes = connectReplay(replay.kubernetesUrl)
  await using github = connectGitHub(replay.githubUrl)
  const playing = replay.run(stop.signal)
  const settings = { labelSelector: SELECTOR, settleMs: 2000, startWithinMs: STARTS_WITHIN_MS }
  const given = { kubernetes, github, audit: replay.audit, agents: replay.agents, store, settings }
  const recorder = startRecorder(given)
  try {
    await watching(recorder)
    playHealthy(replay)
    const plays = new Map([...playAll(replay, all), [CLEAN, 'healthy']])
    const listDeaths = () => recorder.deaths.filter(({ uid }) => plays.has(uid))
    const listMissing = () => [...plays].filter(([uid]) => !listDeaths().some((death) => death.uid === uid))
    const missing = async () => listMissing().join('\n')
    const probe = async () => (listMissing().length === 0 ? true : undefined)
    await until({ what: 'every death to be recorded', timeoutMs: 120_000, probe, explain: missing })
    return { deaths: listDeaths(), plays, causes: await storedCauses(store, plays) }
  } finally {
    stop.abort()
    await recorder.stop()
    await playing
    await close()
  }
}

describe('the recordings that ship, played through the real adapters into PostgreSQL', () => {
  it('are many and varied', () => {
    const causes = new Set(recordings.map(({ name }) => readExpected(name).cause))
    expect(recordings.length).toBeGreaterThanOrEqual(12)
    expect(causes.size).toBeGreaterThanOrEqual(12)
  })

  it('are each recorded once, with the expected cause and actor, and stored', { timeout: PLAYED_MS }, async () => {
    const { deaths, plays, causes } = await recordAll(recordings)
    const recordingName = (uid: string): string => plays.get(uid) ?? ''
    const found = deaths.map(({ uid, cause, missed }) => ({ recording: recordingName(uid), cause, missed }))
    const known = [...recordings.map(({ name }) => name), 'healthy'].map((name) => {
      return { recording: name, cause: readExpected(name).cause, missed: false }
    })
    const byName = (a: { readonly recording: string }, b: { readonly recording: string }) =>
      a.recording < b.recording ? -1 : 1
    expect(found.toSorted(byName)).toEqual(known.toSorted(byName))
    for (const { uid, actor } of deaths) expect(actor ?? '').toContain(readExpected(recordingName(uid)).actor ?? '')
    for (const { uid, cause } of deaths) expect(causes.get(uid)).toBe(cause)
  })
})
