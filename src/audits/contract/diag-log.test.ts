import { describe, expect, it } from 'vitest'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { scaleSet } from '#test/fleets/arc-objects.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { contract } from './audit.ts'

const VARIABLE = 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT'
const env = (value: string) => ({ env: [{ name: VARIABLE, value }] })

function findings(runner: Fields, others: readonly Fields[] = []) {
  const set = scaleSet('lane', { template: { containers: [{ name: 'runner', image: 'a:1', ...runner }, ...others] } })
  return contract
    .examine(buildFleet({ autoscalingrunnersets: [set] }), WHOLE_FLEET)
    .filter((one) => one.class === 'diag-not-on-stdout')
}

describe("the runner's _diag log", () => {
  it.each([
    ['without the variable', {}, 1],
    ['switched off', env('0'), 1],
    ['printed', env('1'), 0],
    ['printed, in words', env('true'), 0],
    ['from elsewhere', { env: [{ name: VARIABLE, valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] }, 0],
    ['perhaps from a ConfigMap', { envFrom: [{ configMapRef: { name: 'c' } }] }, 0],
  ])('%s', (_, runner, count) => {
    const found = findings(runner)
    expect(found.map(({ severity }) => severity)).toEqual(Array.from({ length: count }, () => 'info'))
  })

  it('belongs to the runner and to no other container', () => {
    const [finding] = findings(env('1'), [{ name: 'poller', image: 'p:1', ...env('1') }])
    expect(finding).toMatchObject({
      evidence: [`container poller has ${VARIABLE}, but it is not the runner`],
      hint: 'remove it from poller',
    })
    expect(findings({}, [{ name: 'poller', image: 'p:1', ...env('1') }])[0]?.evidence).toHaveLength(2)
  })
})
