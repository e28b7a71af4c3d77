import { describe, expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { textAt } from '#/core/basics/fields.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import { recordedObjects } from '#test/cluster/recorded-arc.ts'
import { APPLY, decisions, listAll, memoryBook, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

const SET = 'docker-build'
const WEDGE = ['--policy', 'wedge', '--set', SET, ...APPLY]

async function startWedged(recording: string): Promise<SimulatedFleet & { readonly ledger: Ledger }> {
  const fleet = await startFleet(recording)
  opened.book = memoryBook()
  return { ...fleet, ledger: opened.book.ledger }
}

/** What ARC does once the runners are gone: it makes the listener, as it was recorded on a healthy fleet. */
async function listenerOfArc({ api }: SimulatedFleet): Promise<() => void> {
  const listeners = await recordedObjects('0.14.2-healthy-idle', 'autoscalinglisteners')
  const listener = listeners.find((one) => one.metadata.name.startsWith(SET))
  const pods = await recordedObjects('0.14.2-healthy-idle', 'pods')
  const pod = pods.find(({ metadata }) => metadata.name === listener?.metadata.name)
  if (listener === undefined || pod === undefined) throw new Error('the recording has no listener')
  return () => {
    for (const runner of api.objects.get('ephemeralrunners') ?? []) {
      const name = textAt(runner, 'metadata', 'name') ?? ''
      if (name.startsWith(SET)) api.drop('ephemeralrunners', name)
    }
    api.put('autoscalinglisteners', listener)
    api.put('pods', pod)
    api.change('autoscalingrunnersets', SET, { status: { phase: 'Running' } })
  }
}

describe('a wedged set', () => {
  it('is freed by scaling to 0, proved by its new listener, and the output says how to prevent the next one', async () => {
    const fleet = await startWedged('0.14.2-wedged-values-change')
    fleet.api.onScaled = await listenerOfArc(fleet)
    const args = ['--policy', 'wedge', '--set', SET, '--apply', '--yes', '--wait', '5m']
    const { code, stdout, stderr } = await reap(fleet, args)
    expect(stderr).toContain(`runners of arc-runners/${SET} (1): removed\n`)
    expect(stdout).toContain('The proofs of each: signalbox ledger -o wide\n')
    expect(fleet.api.scaled).toHaveLength(1)
    expect(stdout).toMatch(/free: the new listener docker-build-\S+ is up, UID/)
    expect(stdout).toMatch(/To prevent the next one: .*updateStrategy=immediate/)
    expect(code).toBe(0)
    expect(await listAll(fleet.ledger)).toMatchObject([
      { act: 'scale-ephemeral-runner-set', outcome: 'done', subject: { kind: 'AutoscalingRunnerSet', name: SET } },
    ])
  })

  it('exits with 1 and says what is wrong if no new listener comes', async () => {
    const fleet = await startWedged('0.14.2-wedged-values-change')
    const { code, answer } = await reap(fleet, [...WEDGE, '--wait', '30s'])
    expect(code).toBe(1)
    expect(answer?.candidates).toMatchObject([{ decision: 'removed', freed: { kind: 'still-wedged' } }])
  })

  it('of a later ARC loses all its idle runners at once, and may lose them again when it wedges again', async () => {
    const fleet = await startWedged('canary-2ee6b3b-wedged-spec-change')
    const names = [...fleet.ids.keys()].filter((one) => one.startsWith('spec-idle'))
    const before = names.map((name) => fleet.api.find('ephemeralrunners', name))
    const { code, answer } = await reap(fleet, ['--policy', 'wedge', ...APPLY])
    expect([code, decisions(answer)]).toEqual([0, ['removed']])
    expect(fleet.api.removed.toSorted()).toEqual(names.toSorted())
    for (const [index, runner] of before.entries()) {
      const metadata = { ...(runner?.['metadata'] as object), uid: `again-${index}` }
      fleet.api.put('ephemeralrunners', { ...runner, metadata })
    }
    const again = await reap(fleet, ['--policy', 'wedge', ...APPLY])
    expect(decisions(again.answer)).not.toContain('vanished')
  })

  it('is refused as a whole if one of its runners has a job', async () => {
    const fleet = await startWedged('0.14.2-wedged-values-change')
    const name = [...fleet.ids.keys()].find((one) => one.startsWith(SET)) ?? ''
    let lists = 0
    fleet.api.before = ({ path }) => {
      if (!path.endsWith('/ephemeralrunners')) return
      lists += 1
      if (lists === 3) fleet.giveJob(name)
    }
    const { code, answer } = await reap(fleet, WEDGE)
    expect(code).toBe(4)
    expect(decisions(answer)).toHaveLength(1)
    expect([fleet.api.scaled, fleet.api.removed]).toEqual([[], []])
  })

  it('is refused if it has a listener again, or a runner that nobody checked', async () => {
    for (const change of ['listener', 'runner']) {
      const fleet = await startWedged('0.14.2-wedged-values-change')
      const makeListener = await listenerOfArc(fleet)
      const name = [...fleet.ids.keys()].find((one) => one.startsWith(SET)) ?? ''
      const other = fleet.api.find('ephemeralrunners', name)
      let lists = 0
      fleet.api.before = ({ path }) => {
        if (!path.endsWith('/ephemeralrunners')) return
        lists += 1
        if (lists !== 3) return
        const runners = [...(fleet.api.objects.get('ephemeralrunners') ?? [])]
        if (change === 'listener') makeListener()
        for (const runner of runners) fleet.api.put('ephemeralrunners', runner)
        const metadata = { ...(other?.['metadata'] as object), uid: 'new', name: `${name}-new` }
        if (change === 'runner') fleet.api.put('ephemeralrunners', { ...other, metadata })
      }
      const { code, answer } = await reap(fleet, WEDGE)
      expect([change, code, decisions(answer)]).toEqual([change, 4, ['refused identity']])
      expect([fleet.api.scaled, fleet.api.removed]).toEqual([[], []])
    }
  })
})
