import { describe, expect, it } from 'vitest'
import { createAgentLimits } from './agent-limits.ts'

describe('what one agent may ask of the server', () => {
  it('is so many answers at once, and so many a second, whatever the others do', () => {
    const limits = createAgentLimits()
    const open = Array.from({ length: 16 }, () => limits.enter('n1', 'answer', 0))
    expect(open.every((leave) => leave !== null)).toBe(true)
    expect(limits.enter('n1', 'answer', 0)).toBeNull()
    expect(limits.enter('n2', 'answer', 0)).not.toBeNull()
    open[0]?.()
    expect(limits.enter('n1', 'answer', 0)).not.toBeNull()
  })

  it('is used up by a flood, and comes back with time', () => {
    const limits = createAgentLimits()
    const flood = (now: number): number => {
      let count = 0
      for (let tries = 0; tries < 10_000; tries += 1) {
        const leave = limits.enter('n1', 'answer', now)
        if (leave === null) continue
        count += 1
        leave()
      }
      return count
    }
    expect(flood(0)).toBe(1000)
    expect(flood(1000)).toBe(100)
    expect(flood(0)).toBe(0)
    expect(flood(500)).toBe(50)
    expect(limits.enter('n1', 'poll', 0)).not.toBeNull()
  })

  it('is remembered of no more nodes than there can be', () => {
    const limits = createAgentLimits()
    for (let index = 0; index < 30_000; index += 1) limits.enter(`n${index}`, 'poll', 0)?.()
    expect(limits.enter('n0', 'poll', 0)).not.toBeNull()
  })
})
