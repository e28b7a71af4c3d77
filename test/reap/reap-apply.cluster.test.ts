import { expect, it, vi } from 'vitest'
import type { ActBook } from '#/cli/acting/open-act-book.ts'
import { toFields } from '#/core/basics/fields.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'
import { ARC, settle } from './recorded-place.ts'
import type { Place } from './recorded-place.ts'
import { APPLY, decisions, listAll, memoryBook, reap } from './run-reap.ts'
import { REPOSITORY } from './simulated-fleet.ts'

const opened = vi.hoisted(() => ({ book: null as ActBook | null }))
vi.mock('#/cli/acting/open-act-book.ts', () => ({ openActBook: async () => opened.book }))

function run(place: Place, policy: string, ...flags: readonly string[]) {
  return reap(place, ['--policy', policy, ...APPLY, ...flags])
}

const IDLE = { recording: '0.14.2-healthy-idle', of: 'linux-x64', namespace: 'arc-runners' }

describeWithApiServer(
  'signalbox reap --apply on a real API server',
  (cluster) => {
    it(
      'removes an offline runner with its UID and version, and leaves the idle one',
      { timeout: 300_000 },
      async () => {
        await installArc(cluster())
        opened.book = memoryBook()
        await using place = await settle(cluster(), IDLE)
        const [first = '', second = ''] = place.names
        place.sim.world.runnerVanishes(place.ids.get(first) ?? 0)
        const { code, answer, stderr } = await run(place, 'offline')
        expect([stderr, code, decisions(answer)]).toEqual([expect.any(String), 0, ['removed']])
        expect([await place.isLeaving(first), await place.isLeaving(second)]).toEqual([true, false])
        expect(await listAll(opened.book.ledger)).toMatchObject([{ outcome: 'done' }])
        const again = await run(place, 'offline')
        expect(decisions(again.answer).filter((one) => one === 'removed')).toEqual([])
      },
    )

    it('spares a runner that gets a job before any call to GitHub', { timeout: 600_000 }, async () => {
      let at = 0
      let hasArrived = true
      while (hasArrived) {
        at += 1
        hasArrived = false
        opened.book = memoryBook()
        await using place = await settle(cluster(), IDLE)
        const [first = ''] = place.names
        place.sim.world.runnerVanishes(place.ids.get(first) ?? 0)
        place.before = async (call) => {
          if (call !== at) return
          hasArrived = true
          await place.recordJob(first)
        }
        const { answer } = await run(place, 'offline')
        // In the last round there was no such call: the runner is idle to the end.
        expect([at, await place.isLeaving(first)]).toEqual([at, !hasArrived])
        expect(decisions(answer).includes('removed')).toBe(!hasArrived)
      }
      expect(at).toBeGreaterThan(8)
    })

    it('scales a wedged set to 0, and refuses it once one of its runners has a job', { timeout: 300_000 }, async () => {
      const wish = { recording: '0.14.2-wedged-values-change', of: 'docker-build', namespace: 'arc-runners' }
      for (const hasJob of [true, false]) {
        opened.book = memoryBook()
        await using place = await settle(cluster(), wish)
        const [first = ''] = place.names
        place.before = async (_call, request) => {
          // After the two reads that confirm the wedge.
          if (hasJob && request.method === 'DELETE') await place.recordJob(first)
        }
        const { code, answer } = await run(place, 'wedge')
        expect([hasJob, code]).toEqual([hasJob, hasJob ? 4 : 0])
        expect(decisions(answer).map((one) => one.split(' ')[0])).toEqual([hasJob ? 'refused' : 'removed'])
        const list = toFields(await cluster().callOk({ path: `${ARC}/ephemeralrunnersets` }))
        const [set] = list['items'] as readonly object[]
        expect(toFields(toFields(set)['spec'])['replicas'] === 0).toBe(!hasJob)
      }
    })

    it('refuses a zombie whose job is on record, and says so', { timeout: 300_000 }, async () => {
      opened.book = memoryBook()
      const wish = { recording: '0.14.2-zombie-after-pod-delete', of: 'release', namespace: 'arc-runners' }
      await using place = await settle(cluster(), wish)
      for (const id of place.ids.values()) place.sim.world.runnerVanishes(id)
      const { code, answer } = await run(place, 'offline', '--repo', REPOSITORY)
      expect(code).toBe(4)
      expect(decisions(answer)).toContain('refused no-job-on-record')
      expect(decisions(answer)).not.toContain('removed')
      for (const name of place.names) expect(await place.isLeaving(name)).toBe(false)
    })
  },
  { audit: 'off' },
)
