import { describe, expect, it } from 'vitest'
import { bodyRoom } from './body-room.ts'

describe('the room for bodies', () => {
  it('drops the largest where the bytes do not suffice, and gives its bytes back', () => {
    const room = bodyRoom({ bodies: 10, bytes: 100 })
    const [small, large] = [room.enter(), room.enter()]
    small.grow(30)
    large.grow(60)
    const late = room.enter()
    late.grow(20)
    expect([small, large, late].map(({ signal }) => signal.aborted)).toEqual([false, true, false])
    large.grow(1000)
    late.grow(50)
    expect([small, late].map(({ signal }) => signal.aborted)).toEqual([false, false])
  })

  it('drops the one that has taken the longest where there are too many', () => {
    const room = bodyRoom({ bodies: 2, bytes: 100 })
    const places = [room.enter(), room.enter(), room.enter()]
    expect(places.map(({ signal }) => signal.aborted)).toEqual([true, false, false])
  })

  it('has the place of one that has left', () => {
    const room = bodyRoom({ bodies: 2, bytes: 100 })
    const [first, second] = [room.enter(), room.enter()]
    first.grow(90)
    first.leave()
    first.leave()
    room.enter().grow(90)
    expect(second.signal.aborted).toBe(false)
  })

  it('drops a body that is larger than the room', () => {
    const place = bodyRoom({ bodies: 2, bytes: 100 }).enter()
    place.grow(101)
    expect(place.signal.aborted).toBe(true)
  })
})
