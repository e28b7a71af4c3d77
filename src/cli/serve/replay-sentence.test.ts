import { describe, expect, it } from 'vitest'
import { coloured, plain } from '#/cli/output/style.ts'
import { toDeath } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'
import { sentenceLine } from './replay-sentence.ts'

const now = Date.parse('2026-06-01T12:34:56Z')

function death(more: Partial<Death> = {}): Death {
  const row = { uid: 'u', namespace: 'ci', pod: 'p', node: null, pool: null, runner: null, repository: null, job: null }
  const base = toDeath({ ...row, diedAt: now, recordedAt: now, missed: false, verdict: null })
  return { ...base, cause: 'oom-container', kind: 'death', sentence: 'The kernel killed it.', ...more }
}

describe('the line of a death in a replay', () => {
  it('has the time, the cause and the sentence', () => {
    expect(sentenceLine(death(), { now, style: plain })).toBe('12:34:56  oom-container          The kernel killed it.')
  })

  it('has a colour for its kind', () => {
    expect(sentenceLine(death(), { now, style: coloured })).toContain('\u001B[31moom-container')
    const never = death({ cause: 'image-pull', kind: 'never-started' })
    expect(sentenceLine(never, { now, style: coloured })).toContain('\u001B[33mimage-pull')
    const well = death({ cause: 'job-cancelled', kind: 'not-a-death' })
    expect(sentenceLine(well, { now, style: coloured })).toContain('\u001B[32mjob-cancelled')
  })

  it('is omitted for clean ends, unless GitHub knows the job', () => {
    const clean = death({ cause: 'completed-normally', kind: 'not-a-death' })
    expect(sentenceLine(clean, { now, style: plain })).toBeNull()
    const known = { ...clean, job: { id: 1, name: 'unit', url: null } }
    expect(sentenceLine(known, { now, style: plain })).toContain('completed-normally')
  })

  it('removes control characters', () => {
    const line = sentenceLine(death({ sentence: 'It said \u001B[2J and went.' }), { now, style: plain })
    expect(line).not.toContain('\u001B')
  })
})
