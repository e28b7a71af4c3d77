import { describe, expect, it } from 'vitest'
import { memoryStore } from '#/adapters/memory/store.ts'
import { createMetrics } from '#/runtime/metrics/metrics.ts'
import { createHandClock } from '#test/github/hand-clock.ts'
import { breakerKey } from './breaker-gate.ts'
import { storedBreakers } from './breakers.ts'

const KEY = breakerKey.repository('Acme/App')

function open(store = memoryStore(), clock = createHandClock()) {
  const metrics = createMetrics()
  const replica = () => storedBreakers({ breakers: store.breakers, clock, metrics })
  return { clock, metrics, here: replica(), there: replica() }
}

describe('the stored breakers', () => {
  it('open for every replica after failures of several, and a success of one closes them', async () => {
    const { here, there, clock } = open()
    expect(await here.isOpen(KEY)).toBeNull()
    for (const replica of [here, there, here]) await replica.failed(KEY, '404')
    clock.advance(1_000)
    expect(await there.isOpen(KEY)).toMatchObject({ key: 'repository/acme/app', why: '404' })
    expect(await here.open()).toHaveLength(1)
    await there.succeeded(KEY)
    clock.advance(1_000)
    expect(await here.isOpen(KEY)).toBeNull()
    expect(await here.open()).toEqual([])
  })

  it('let one of all replicas try when the pause is over', async () => {
    const { here, there, clock } = open()
    for (let time = 0; time < 3; time += 1) await here.failed(KEY, '502')
    clock.advance(30_000)
    expect(await here.open()).toMatchObject([{ key: KEY, mayTry: true }])
    const answers = await Promise.all([here, there, here, there].map(async (one) => await one.isOpen(KEY)))
    expect(answers.filter((answer) => answer === null)).toHaveLength(1)
    expect((await here.open()).map(({ mayTry }) => mayTry)).toEqual([undefined])
  })

  it('count each of many failures at once, without losing one', async () => {
    const { here, there } = open()
    await Promise.all([here.failed(KEY, 'a'), there.failed(KEY, 'b')])
    expect((await here.list())[0]).toMatchObject({ failures: 2, openUntil: null })
  })

  it('are reset by hand, which says whether there was one', async () => {
    const { here, metrics } = open()
    for (let time = 0; time < 3; time += 1) await here.failed(KEY, '502')
    await here.open()
    expect(metrics.expose()).toContain('signalbox_breakers_open{kind="repository"} 1')
    expect(await here.reset(KEY)).toBe(true)
    expect(await here.reset(KEY)).toBe(false)
    expect(await here.reset('node/unknown')).toBe(false)
    expect(await here.isOpen(KEY)).toBeNull()
    expect(metrics.expose()).toContain('signalbox_breakers_open{kind="repository"} 0')
  })

  it('read the store once a second, however often they are asked', async () => {
    const store = memoryStore()
    let reads = 0
    const list = async () => {
      reads += 1
      return await store.breakers.list()
    }
    const { here, clock } = open({ ...store, breakers: { ...store.breakers, list } })
    for (let time = 0; time < 100; time += 1) await here.isOpen(KEY)
    expect(reads).toBe(1)
    clock.advance(1_000)
    await here.succeeded(KEY)
    expect(reads).toBe(2)
  })
})
