import { describe, expect, it } from 'vitest'
import { createDeathProgress } from './progress.ts'

describe('the progress of deaths', () => {
  it('says that recording is late when the oldest death has waited half a second', async () => {
    let now = 1000
    const progress = createDeathProgress({ now: () => now })
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    const recordings = [progress.recording(() => first.promise)]
    now += 400
    recordings.push(progress.recording(() => second.promise))
    expect(progress.isRecordingLate()).toBe(false)
    now += 200
    expect(progress.isRecordingLate()).toBe(true)
    first.resolve()
    await recordings[0]
    expect(progress.isRecordingLate()).toBe(false)
    now += 400
    expect(progress.isRecordingLate()).toBe(true)
    second.reject(new Error('the store is away'))
    await expect(recordings[1]).rejects.toThrow('the store is away')
    expect(progress.isRecordingLate()).toBe(false)
  })
})
