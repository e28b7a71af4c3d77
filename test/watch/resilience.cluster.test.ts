import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { TestContext } from 'vitest'
import { textAt } from '#/core/basics/fields.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import type { ServeProcess } from '#test/recorder/serve-process.ts'
import { runOrThrow } from '#test/cluster/command.ts'
import { createNamespace, podPath } from '#test/cluster/pods.ts'
import type { PodName } from '#test/cluster/pods.ts'
import { describeOnSharedNode } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { ask } from '#test/postgres/ask.ts'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { ownServer } from '#test/postgres/own-server.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { cutProxy } from './cut-proxy.ts'
import { killForMemory, paperRunner } from './paper-runners.ts'
import { askServe, readEvidence, expectNothingEmpty, untilRecorded } from './serve-deaths.ts'

const { connectionString } = await testDatabase()
const restartable = ownServer()
const crowded = await testDatabase()

const AT_ONCE = { timeout: 1_800_000, concurrent: true }
const MINUTE_MS = 60_000

/** Tests that run concurrently each need their own end. */
type Finished = Pick<TestContext, 'onTestFinished'>

async function ownFolder({ onTestFinished }: Finished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-resilience-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

async function serving(
  { onTestFinished }: Finished,
  args: readonly string[],
  database: string | null,
): Promise<ServeProcess> {
  const serve = await startServe(args, database)
  onTestFinished(() => serve.stop('SIGTERM'))
  return serve
}

async function untilWatched(serve: ServeProcess, count: number): Promise<void> {
  await until({
    what: `${count} watched pods`,
    timeoutMs: 600_000,
    explain: async () => serve.said(),
    probe: async () => {
      const text = await (await askServe(serve, '/metrics')).text()
      return text.includes(`signalbox_watched_pods ${count}\n`) ? true : undefined
    },
  })
}

const untilSaid = ({ said }: ServeProcess, text: string) =>
  until({
    what: `"${text}"`,
    timeoutMs: 600_000,
    explain: async () => said(),
    probe: async () => (said().includes(text) ? true : undefined),
  })

async function readMetaText(serve: ServeProcess, uid: string): Promise<string> {
  const answer = await askServe(serve, `/v1/deaths/${uid}/evidence`)
  return gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()
}

describeOnSharedNode('a recorder whose surroundings fail', (cluster) => {
  const runners = async (namespace: string, names: readonly string[], note = ''): Promise<readonly PodName[]> => {
    const pods = names.map((name) => ({ namespace, name: `linux-abc-runner-${name}` }))
    for (const pod of pods) await paperRunner(cluster(), pod, note)
    return pods
  }

  test(
    'misses no death while the API server is unreachable for a minute, and reports when it was blind',
    AT_ONCE,
    async (context) => {
      const folder = await ownFolder(context)
      const namespace = await createNamespace(cluster(), 'runners')
      await using proxy = await cutProxy(cluster(), join(folder, 'kubeconfig'))
      const serve = await serving(
        context,
        ['--kubeconfig', proxy.kubeconfig, '-n', namespace, '--data', folder],
        connectionString,
      )
      const [before, ended, removed, after] = (await runners(namespace, ['before', 'ended', 'removed', 'after'])) as [
        PodName,
        PodName,
        PodName,
        PodName,
      ]
      await untilWatched(serve, 4)
      await killForMemory(cluster(), before)
      await untilRecorded(serve, before)
      proxy.cut()
      await untilSaid(serve, 'cannot watch runner pods')
      await killForMemory(cluster(), ended)
      await cluster().callOk({ method: 'DELETE', path: `${podPath(removed)}?gracePeriodSeconds=0` })
      await sleep(MINUTE_MS)
      proxy.restore()
      const deaths = [await untilRecorded(serve, ended), await untilRecorded(serve, removed)]
      expect(deaths[0]).toMatchObject({ cause: 'oom-container' })
      for (const { uid } of deaths) {
        expectNothingEmpty(await readEvidence(serve, uid))
        expect(await readMetaText(serve, uid)).toMatch(/nothing was watching[^"]* when it went: unreachable: /)
      }
      await killForMemory(cluster(), after)
      expect(await readMetaText(serve, (await untilRecorded(serve, after)).uid)).not.toContain('nothing was watching')
      expect((await untilRecorded(serve, before)).cause).toBe('oom-container')
      expect(serve.said()).toContain('watching runner pods again')
    },
  )

  test('loses nothing when PostgreSQL is killed and restarted', AT_ONCE, async (context) => {
    const folder = await ownFolder(context)
    const namespace = await createNamespace(cluster(), 'runners')
    const args = ['--kubeconfig', cluster().kubeconfig, '-n', namespace, '--data', folder]
    const serve = await serving(context, args, restartable.connectionString)
    const [before, during, removed, after] = (await runners(namespace, ['before', 'during', 'removed', 'after'])) as [
      PodName,
      PodName,
      PodName,
      PodName,
    ]
    await untilWatched(serve, 4)
    await killForMemory(cluster(), before)
    await untilRecorded(serve, before)
    await Promise.all([
      restartable.restart('SIGKILL'),
      killForMemory(cluster(), during),
      cluster().callOk({ method: 'DELETE', path: `${podPath(removed)}?gracePeriodSeconds=0` }),
    ])
    for (const pod of [before, during])
      expect(await untilRecorded(serve, pod)).toMatchObject({ cause: 'oom-container' })
    const gone = await untilRecorded(serve, removed)
    expectNothingEmpty(await readEvidence(serve, gone.uid))
    if (gone.missed)
      expect(await readMetaText(serve, gone.uid)).toContain('nothing was watching when it went: not-asked: ')
    await killForMemory(cluster(), after)
    expect(await untilRecorded(serve, after)).toMatchObject({ cause: 'oom-container', missed: false })
  })

  test(
    'records fifty deaths of fifty runners that are removed while it is killed and restarted',
    AT_ONCE,
    async (context) => {
      const folder = await ownFolder(context)
      const namespace = await createNamespace(cluster(), 'runners')
      const args = ['--kubeconfig', cluster().kubeconfig, '-n', namespace, '--data', folder]
      const first = await serving(context, args, crowded.connectionString)
      const pods = await runners(
        namespace,
        Array.from({ length: 50 }, (_, index) => `${index}`),
      )
      const count = async (table: string): Promise<number> =>
        Number(textAt((await ask(crowded.connectionString, `select count(*) as n from ${table}`))[0], 'n'))
      const untilCount = (table: string, isEnough: (rows: number) => boolean) =>
        until({
          what: `rows of ${table}`,
          timeoutMs: 600_000,
          explain: async () => `there are ${await count(table)}`,
          probe: async () => (isEnough(await count(table)) ? true : undefined),
        })
      await untilCount('sightings', (rows) => rows === 50)
      const removing = Promise.all(
        pods.map((pod) => cluster().callOk({ method: 'DELETE', path: `${podPath(pod)}?gracePeriodSeconds=0` })),
      )
      await untilCount('postmortems', (rows) => rows > 0)
      await first.stop('SIGKILL')
      await removing
      const second = await serving(context, args, crowded.connectionString)
      for (const pod of pods) {
        const { uid, missed } = await untilRecorded(second, pod)
        const evidence = await readEvidence(second, uid)
        expectNothingEmpty(evidence)
        const sources = evidence.map(({ source }) => source)
        expect(sources).toContain('kubernetes/pods.json')
        expect(sources.some((source) => source.startsWith(`logs/${namespace}/${pod.name}/runner`))).toBe(true)
        if (missed) expect(await readMetaText(second, uid)).toContain('nothing was watching when it went: ')
      }
      expect(await count('postmortems')).toBe(50)
      await untilCount('sightings', (rows) => rows === 0)
    },
  )

  test.runIf(hasRootFor('a data folder on a full disk'))(
    'continues with a data folder on a full disk, and writes everything when there is room',
    AT_ONCE,
    async (context) => {
      const folder = await ownFolder(context)
      const disk = join(folder, 'disk')
      // The database runs as another user, who needs access.
      await chmod(folder, 0o755)
      await mkdir(disk)
      await runOrThrow('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=0755', 'tmpfs', disk])
      context.onTestFinished(async () => void (await runOrThrow('umount', ['--lazy', disk])))
      const namespace = await createNamespace(cluster(), 'runners')
      const args = ['--kubeconfig', cluster().kubeconfig, '-n', namespace, '--data', join(disk, 'data')]
      const serve = await serving(context, args, null)
      const [before] = await runners(namespace, ['before'])
      await untilWatched(serve, 1)
      await killForMemory(cluster(), before!)
      await untilRecorded(serve, before!)
      const names = Array.from({ length: 20 }, (_, index) => `p${index}`)
      const pods = await runners(namespace, names, noise())
      await untilWatched(serve, names.length)
      await fill(join(disk, 'of-somebody-else'))
      for (const pod of pods) await killForMemory(cluster(), pod)
      await untilSaid(serve, 'store unavailable: deaths go to the spool and will be retried')
      await rm(join(disk, 'of-somebody-else'))
      for (const pod of [before!, ...pods]) {
        const death = await untilRecorded(serve, pod)
        expect(death).toMatchObject({ cause: 'oom-container' })
        expectNothingEmpty(await readEvidence(serve, death.uid))
      }
      await serve.stop('SIGTERM')
      expect(serve.said()).toContain('Stopped.')
    },
  )
})

/** Words that do not compress and do not look like a secret. */
function noise(): string {
  return Array.from({ length: 8000 }, () => randomBytes(4).toString('base64url')).join(' ')
}

/** Until nothing more fits. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const bytes of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(bytes, 'x')
      for (let isFull = false; !isFull;) {
        isFull = await file.write(block).then(
          ({ bytesWritten }) => bytesWritten < bytes,
          () => true,
        )
      }
    }
  } finally {
    await file.close()
  }
}
