import { expect, it } from 'vitest'
import type { Fault } from '#/sim/github/faults.ts'
import { reap } from './run-reap.ts'
import { startFleet } from './simulated-fleet.ts'

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
