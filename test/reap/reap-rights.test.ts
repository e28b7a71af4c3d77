import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Fault } from '#/sim/github/faults.ts'
import { APPLY, decisions, reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'

const OFFLINE = 'linux-x64-462sz-runner-2ltbc'
const json = { 'content-type': 'application/json' }
const FORBIDDEN: Fault = { kind: 'answer', status: 403, headers: json, body: '{"message":"Forbidden"}' }
const SHORTENED: Fault = { kind: 'answer', status: 200, headers: json, body: '{"total_count":9,"runners":[]}' }

it.each<readonly [string, Fault, RegExp, RegExp]>([
  ['GitHub refuses the list', FORBIDDEN, /Self-hosted runners \(read\)/, /ask again/],
  ['the list is shortened', SHORTENED, /ask again: the list had fewer rows/, /Self-hosted runners \(read\)/],
])('a dry run finds nothing where %s, and says what would help', async (_title, fault, advice, otherAdvice) => {
  const fleet = await startFleet()
  fleet.sim.faults.add({ path: /\/actions\/runners\?/, fault, times: 50 })
  const { code, stdout } = await reap(fleet, ['--policy', 'offline'])
  expect(code).toBe(3)
  const notJudged = /Not judged\n[^\n]*(?:\n {2}[^\n]*)*/u.exec(stdout)?.[0] ?? stdout
  expect(notJudged).toMatch(advice)
  expect(notJudged).not.toMatch(otherAdvice)
})

it('needs no right to get a pod: the evidence lists it by its name', async () => {
  const fleet = await startFleet()
  fleet.sim.world.runnerVanishes(fleet.ids.get(OFFLINE) ?? 0)
  fleet.api.denied.add('get pods')
  const args = ['--policy', 'offline', ...APPLY, '--evidence', join(fleet.folder, 'acts')]
  const { code, answer } = await reap(fleet, args)
  expect([code, decisions(answer), fleet.api.removed]).toEqual([0, ['removed'], [OFFLINE]])
})
