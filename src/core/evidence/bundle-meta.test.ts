import { describe, expect, it } from 'vitest'
import { parseMeta, printMeta } from './bundle-meta.ts'

const ALWAYS = { schemaVersion: 1, collectedAt: '2026-06-06T21:40:00Z' }

function read(fields: object) {
  const reading = parseMeta(JSON.stringify({ ...ALWAYS, ...fields }))
  if (reading.kind === 'unreadable') throw new Error(reading.why)
  return reading.meta
}

describe('meta.json', () => {
  it('needs no subject and no sources', () => {
    expect(read({})).toEqual({ collectedAt: Date.UTC(2026, 5, 6, 21, 40), subject: {}, sources: new Map() })
  })

  it.each([
    ['2026-06-06T23:40:00+02:00', true],
    ['2026-06-06T23:40:00.000+0200', true],
    ['2026-06-06T21:40:00', false],
    ['2026-06-06', false],
    ['2026-13-06T21:40:00Z', false],
    ['yesterday', false],
  ])('takes %s as a time: %s', (collectedAt, isTime) => {
    const reading = parseMeta(JSON.stringify({ ...ALWAYS, collectedAt }))
    expect(reading.kind).toBe(isTime ? 'read' : 'unreadable')
    if (reading.kind === 'read') expect(reading.meta.collectedAt).toBe(Date.UTC(2026, 5, 6, 21, 40))
  })

  it('accepts a quoted job id', () => {
    expect(read({ subject: { jobId: '76348428905', pod: 'p' } }).subject).toEqual({ jobId: 76348428905, pod: 'p' })
  })

  it('accepts every field of a subject, and none of the wrong type', () => {
    const subject = { namespace: 'n', pod: 'p', uid: 'u', node: 'w1', container: 'c', runner: 'r', jobId: 7, runId: 9 }
    expect(read({ subject }).subject).toEqual(subject)
    for (const field of Object.keys(subject)) {
      const reading = parseMeta(JSON.stringify({ ...ALWAYS, subject: { ...subject, [field]: ['x'] } }))
      expect([field, reading.kind]).toEqual([field, 'unreadable'])
    }
  })

  it.each([
    ['ok is missing', {}],
    ['ok is text', { ok: 'true' }],
    ['the reason is a number', { ok: true, reason: 7 }],
    ['a window cannot be read', { ok: true, from: 'yesterday' }],
    ['it is no object', 'fine'],
  ])('makes a source unreadable if %s', (_, answer) => {
    expect(read({ sources: { journal: answer } }).sources.get('journal')).toMatchObject({ kind: 'unreadable' })
  })

  it('is printed and read back as it was', () => {
    const meta = read({
      subject: { namespace: 'n', pod: 'p', uid: 'u', node: 'w', container: 'c', runner: 'r', jobId: 7, runId: 9 },
      sources: {
        journal: { ok: true, from: '2026-06-06T21:00:00Z', to: '2026-06-06T21:40:00.250Z' },
        cgroup: { ok: true, reason: 'a remark' },
        'kubernetes/audit': { ok: false, reason: 'forbidden: audit is off' },
      },
    })
    expect(parseMeta(printMeta(meta))).toEqual({ kind: 'read', meta })
  })
})
