import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import { performLane } from '#/cli/lane/perform-lane.ts'
import type { LaneOutcome } from '#/cli/lane/perform-lane.ts'
import { blind } from '#/core/basics/observed.ts'
import { silentProgress } from '#/cli/output/progress.ts'
import type { LaneOrder } from '#/core/lane/plan-change.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import type { ApiServer } from '#test/cluster/cluster.ts'
import { createRecordedSet, recordedObjects, recordedSet } from '#test/cluster/recorded-arc.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { connectBy, makeNamespace, unhurried } from '#test/contracts/kubernetes-means.ts'
import { arcStandIn } from './arc-stand-in.ts'

const MERGE = 'application/merge-patch+json'

async function createPlace({ callOk }: ApiServer, name: string): Promise<void> {
  await callOk({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
  await callOk({
    method: 'POST',
    path: `/api/v1/namespaces/${name}/serviceaccounts`,
    body: { metadata: { name: 'default' } },
  })
}

async function makeLane(cluster: ApiServer, name: string) {
  const kubernetes = connectBy(cluster.kubeconfig)
  const namespace = await makeNamespace(kubernetes)
  const plan = { recording: '0.14.2-healthy-idle', of: 'linux-x64', name, namespace }
  const recorded = await recordedSet(plan)
  const uids = await createRecordedSet(cluster, recorded)
  const arc = arcStandIn(cluster, { recorded, uids, kubernetes })
  await arc.startListener()
  const { store } = openMemoryStore()
  const notices: string[] = []
  const perform = async (
    order: LaneOrder,
    given: { readonly ledger?: Ledger; readonly acts?: typeof arc.acts; readonly drainMs?: number } = {},
  ): Promise<LaneOutcome> =>
    await performLane(
      { set: { namespace, name }, order, isConfirmed: true, proveMs: 30_000, drainMs: given.drainMs ?? null },
      {
        reads: { kubernetes: arc.read, namespaces: null, signal: unhurried },
        acts: given.acts ?? arc.acts,
        book: { ledger: given.ledger ?? store.ledger, actor: 'a person' },
        clock: systemClock,
        terminal: { ask: null, notice: (text) => void notices.push(text), progress: () => silentProgress },
        askGitHub: async () => blind('not-asked', 'no credential'),
      },
    )
  return { ...arc, namespace, recorded, notices, perform, ledger: store.ledger }
}

class Crash extends Error {}

const DONE = { kind: 'acted', result: { kind: 'set', proof: { kind: 'proved' } } }

describeWithApiServer('lanes on a real API server', (cluster) => {
  beforeAll(async () => {
    await installArc(cluster())
    for (const name of ['arc-systems', 'arc-runners']) await createPlace(cluster(), name)
    const [controller] = await recordedObjects('0.14.2-healthy-idle', 'deployments')
    if (controller === undefined) throw new Error('the recording has no controller')
    const { name, labels } = controller.metadata as { readonly name: string; readonly labels: object }
    const body = { metadata: { name, labels }, spec: controller['spec'] }
    const template = JSON.parse(
      JSON.stringify(body).replaceAll(/--update-strategy=\w+/g, '--update-strategy=immediate'),
    ) as object
    await cluster().callOk({ method: 'POST', path: '/apis/apps/v1/namespaces/arc-systems/deployments', body: template })
  }, 120_000)

  it('cap a set and restore it, with the old value in an annotation and in the ledger', async () => {
    const lane = await makeLane(cluster(), 'one')
    expect(await lane.perform({ kind: 'cap', max: 1 })).toMatchObject(DONE)
    expect(await lane.readSet()).toMatchObject({
      min: 1,
      max: 1,
      cap: expect.stringContaining('"before":{"min":2,"max":8}') as string,
    })
    expect(lane.notices.join()).toContain('Helm')
    const [row] = await lane.ledger.list({ limit: 1 })
    expect(row).toMatchObject({ act: 'set-cap', command: 'lane cap', outcome: 'done' })
    expect(row?.gates.at(-2)?.why).toBe('minRunners 2 → 1, maxRunners 8 → 1')
    expect(await lane.perform({ kind: 'restore' })).toMatchObject(DONE)
    expect(await lane.readSet()).toEqual({ min: 2, max: 8, cap: null, quiesced: null })
  }, 120_000)

  it('refuse to restore what somebody else changed, and leave it', async () => {
    const lane = await makeLane(cluster(), 'two')
    await lane.perform({ kind: 'cap', max: 4 })
    await lane.setByHand({ maxRunners: 6 })
    expect(await lane.perform({ kind: 'restore' })).toMatchObject({
      result: { kind: 'refused', decidedBy: 'unchanged-by-others' },
    })
    expect(await lane.readSet()).toMatchObject({ max: 6 })
    expect((await lane.ledger.list({ limit: 1 }))[0]).toMatchObject({ outcome: 'refused', command: 'lane cap restore' })
  }, 120_000)

  it('do not change what somebody else changes between the judgement and the patch', async () => {
    const lane = await makeLane(cluster(), 'three')
    let isFirst = true
    const racing: typeof lane.acts = {
      setCap: async (...request) => {
        if (isFirst) await lane.setByHand({ maxRunners: 6 })
        isFirst = false
        return await lane.acts.setCap(...request)
      },
    }
    expect(await lane.perform({ kind: 'cap', max: 4 }, { acts: racing })).toMatchObject({
      result: { kind: 'refused', decidedBy: 'unchanged-by-others' },
    })
    expect(await lane.readSet()).toMatchObject({ max: 6, cap: null })
  }, 120_000)

  it('work on although ARC writes to the set between the judgement and the patch', async () => {
    const lane = await makeLane(cluster(), 'four')
    let isFirst = true
    const racing: typeof lane.acts = {
      setCap: async (...request) => {
        const path = `/apis/actions.github.com/v1alpha1/namespaces/${lane.namespace}/autoscalingrunnersets/four/status`
        if (isFirst)
          await cluster().callOk({ method: 'PATCH', path, contentType: MERGE, body: { status: { currentRunners: 7 } } })
        isFirst = false
        return await lane.acts.setCap(...request)
      },
    }
    expect(await lane.perform({ kind: 'cap', max: 4 }, { acts: racing })).toMatchObject(DONE)
  }, 120_000)

  it('restore after a crash right after the patch, and close the row that it left', async () => {
    const lane = await makeLane(cluster(), 'five')
    const crashing: Ledger = {
      ...lane.ledger,
      end: () => Promise.reject(new Crash()),
    }
    await expect(lane.perform({ kind: 'cap', max: 4 }, { ledger: crashing })).rejects.toThrow(Crash)
    expect(await lane.readSet()).toMatchObject({ max: 4 })
    expect((await lane.ledger.list({ limit: 1 }))[0]).toMatchObject({ outcome: 'planned' })
    expect(await lane.perform({ kind: 'restore' })).toMatchObject(DONE)
    expect(await lane.readSet()).toEqual({ min: 2, max: 8, cap: null, quiesced: null })
    const rows = await lane.ledger.list({ limit: 5 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'done'])
    expect(rows.at(-1)?.why).toContain('ended early')
  }, 120_000)

  it('restore by the ledger alone if the annotation is gone', async () => {
    const lane = await makeLane(cluster(), 'six')
    await lane.perform({ kind: 'cap', max: 4 })
    const path = `/apis/actions.github.com/v1alpha1/namespaces/${lane.namespace}/autoscalingrunnersets/six`
    const body = { metadata: { annotations: { 'signalbox.dev/lane-cap': null } } }
    await cluster().callOk({ method: 'PATCH', path, contentType: MERGE, body })
    expect(await lane.perform({ kind: 'restore' })).toMatchObject(DONE)
    expect(await lane.readSet()).toMatchObject({ min: 2, max: 8 })
  }, 120_000)

  it('quiesce without touching the runners, say that a job still runs, and resume', async () => {
    const lane = await makeLane(cluster(), 'seven')
    const [runner] = lane.recorded.runners
    const path = `/apis/actions.github.com/v1alpha1/namespaces/${lane.namespace}/ephemeralrunners/${runner?.metadata.name ?? ''}/status`
    await cluster().callOk({
      method: 'PATCH',
      path,
      contentType: MERGE,
      body: { status: { jobId: 'x', jobDisplayName: 'build' } },
    })
    const before = await lane.countRunners()
    expect(before).toBeGreaterThan(0)
    expect(await lane.perform({ kind: 'quiesce' }, { drainMs: 0 })).toMatchObject({
      ...DONE,
      drain: { kind: 'working' },
    })
    expect(await lane.readSet()).toMatchObject({ min: 0, max: 0 })
    expect(await lane.countRunners()).toBe(before)
    expect(await lane.perform({ kind: 'resume' })).toMatchObject(DONE)
    expect(await lane.readSet()).toEqual({ min: 2, max: 8, cap: null, quiesced: null })
  }, 120_000)

  it('are changed by the command line, which says that nothing proves it where no ARC runs', async () => {
    const lane = await makeLane(cluster(), 'eight')
    const folder = await mkdtemp(join(tmpdir(), 'signalbox-lane-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const run = (...args: readonly string[]) =>
      runInProcess([
        'lane',
        ...args,
        '--kubeconfig',
        cluster().kubeconfig,
        '--evidence',
        folder,
        '--yes',
        '--wait',
        '0s',
      ])
    const name = `${lane.namespace}/eight`
    const capped = await run('cap', name, '4')
    expect(capped.stderr).toContain('Helm')
    expect(capped.stdout).toContain('minRunners 2 → 2, maxRunners 8 → 4')
    expect(capped.stdout).toContain('It was changed, but the listener has not proved it')
    expect(capped.stdout).toContain(`To take it back: signalbox lane cap ${name} restore`)
    expect(capped.code).toBe(1)
    expect(await lane.readSet()).toMatchObject({ max: 4 })
    await lane.setByHand({ maxRunners: 5 })
    expect(await run('cap', name, 'restore')).toMatchObject({ code: 4 })
    await lane.setByHand({ maxRunners: 4 })
    expect(await run('cap', name, 'restore', '-o', 'json')).toMatchObject({ code: 1 })
    expect(await lane.readSet()).toEqual({ min: 2, max: 8, cap: null, quiesced: null })
  }, 120_000)
})
