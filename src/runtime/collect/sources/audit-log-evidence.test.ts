import { describe, expect, it } from 'vitest'
import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import type { AuditLogFacts } from '#/core/kubernetes/audit-log-facts.ts'
import { isKept } from '#/core/kubernetes/audit-log-scope.ts'
import type { AuditLogEvent } from '#/ports/audit-log.ts'
import type { AuditLogReading } from './audit-log-evidence.ts'
import { auditLogFile, blindAtEnd, readAuditLog } from './audit-log-evidence.ts'

const FROM = Date.UTC(2026, 5, 6, 21)
const scope = {
  namespaces: new Set(['runners']),
  nodes: new Set(['n1']),
  window: { from: FROM, to: FROM + 60_000 },
}
const { signal } = new AbortController()

function line(changes: { verb?: string; afterMs?: number; stage?: string; objectRef?: object } = {}): string {
  const { verb = 'delete', afterMs = 1000, stage = 'ResponseComplete' } = changes
  return JSON.stringify({
    verb,
    stage,
    requestReceivedTimestamp: new Date(FROM + afterMs).toISOString(),
    objectRef: changes.objectRef ?? { resource: 'pods', namespace: 'runners', name: 'a' },
  })
}

async function* makeLog(...events: readonly (string | AuditLogEvent)[]): AsyncGenerator<AuditLogEvent> {
  for (const event of events) yield typeof event === 'string' ? { kind: 'line', text: event } : event
}

describe('a line of the audit log', () => {
  it.each([
    ['a delete', line(), true],
    [
      'an eviction',
      line({ verb: 'create', objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'runners' } }),
      true,
    ],
    [
      'a deletion of all',
      line({ verb: 'deletecollection', objectRef: { resource: 'pods', namespace: 'runners' } }),
      true,
    ],
    ['a read', line({ verb: 'list' }), false],
    ['a pod elsewhere', line({ objectRef: { resource: 'pods', namespace: 'web', name: 'a' } }), false],
    ['its node', line({ verb: 'patch', objectRef: { resource: 'nodes', name: 'n1' } }), true],
    ['another node', line({ verb: 'patch', objectRef: { resource: 'nodes', name: 'n2' } }), false],
    ['its namespace', line({ objectRef: { resource: 'namespaces', name: 'runners' } }), true],
    ['another kind', line({ objectRef: { resource: 'secrets', namespace: 'runners', name: 'a' } }), false],
    ['what was before', line({ afterMs: -1 }), false],
    ['what came after', line({ afterMs: 60_001 }), false],
  ])('about %s is kept: %s', (_, text, expected) => {
    expect(isKept(readAuditLogLine(JSON.parse(text)) as AuditLogFacts, scope)).toBe(expected)
  })

  it('about any pod is kept where nobody knows the namespace', () => {
    const facts = readAuditLogLine(
      JSON.parse(line({ objectRef: { resource: 'pods', namespace: 'web', name: 'a' } })),
    ) as AuditLogFacts
    expect(isKept(facts, { ...scope, namespaces: null })).toBe(true)
  })
})

describe('a line about a pod, where only one pod is asked about,', () => {
  it.each([
    ['of that pod', { resource: 'pods', namespace: 'runners', name: 'a' }, true],
    ['of another one', { resource: 'pods', namespace: 'runners', name: 'b' }, false],
    ['that names none', { resource: 'pods', namespace: 'runners' }, true],
    ['of its node', { resource: 'nodes', name: 'n1' }, true],
  ])('is kept: %s', (_, objectRef, expected) => {
    const facts = readAuditLogLine(JSON.parse(line({ objectRef }))) as AuditLogFacts
    expect(isKept(facts, { ...scope, pods: new Set(['a']) })).toBe(expected)
  })
})

describe('the audit log', () => {
  const read = (...events: readonly (string | AuditLogEvent)[]) =>
    readAuditLog({ lines: () => makeLog(...events) }, scope, { signal })

  it('looks from its first line on, whatever that is about', async () => {
    const early = line({ verb: 'update', afterMs: -5000, objectRef: { resource: 'leases' } })
    const started = line({ stage: 'ResponseStarted' })
    expect(await read('not json', early, line(), started, '{"cut')).toEqual({
      lines: [line()],
      firstAt: FROM - 5000,
      lastAt: null,
      cutAt: null,
      blind: null,
    })
  })

  it('was looking when its first line was written, not when a watch was asked for that ended then', async () => {
    const watch = JSON.stringify({
      ...(JSON.parse(line({ verb: 'watch', afterMs: -3_600_000 })) as object),
      stageTimestamp: new Date(FROM + 500).toISOString(),
    })
    expect(await read(watch, line())).toMatchObject({ firstAt: FROM + 500 })
  })

  it('believes a source that knows when it was looking', async () => {
    const looking = { kind: 'looking', from: FROM - 9000, to: FROM + 9000 } as const
    expect(await read(looking, line())).toMatchObject({ firstAt: FROM - 9000, lastAt: FROM + 9000, lines: [line()] })
    expect(await read(looking)).toMatchObject({ firstAt: FROM - 9000, lines: [], blind: null })
  })

  it('says how far it came where not all of it fits in', async () => {
    const first = line({ afterMs: 10 })
    const log = { lines: () => makeLog(first, line({ afterMs: 20 }), line({ afterMs: 30 })) }
    const cut = await readAuditLog(log, scope, { signal, most: first.length })
    expect(cut).toMatchObject({ lines: [first], cutAt: FROM + 10 })
  })

  it('is blind where it breaks off', async () => {
    const reason = { code: 'forbidden', detail: 'no right' } as const
    expect(await read(line(), { kind: 'blind', reason })).toMatchObject({ blind: reason })
  })
})

describe('a log without a word of the end of a pod', () => {
  const end = { uid: 'u', bornAt: FROM - 60_000, from: FROM, to: FROM + 10_000 }
  const looking = { firstAt: FROM - 1, lastAt: FROM + 10_000, lines: [], cutAt: null, blind: null }
  const findReason = (changes: Partial<AuditLogReading>) => blindAtEnd({ ...looking, ...changes }, end)?.reason ?? null

  it('says that nobody asked for it, where it was looking', () => {
    expect(findReason({})).toBeNull()
    expect(findReason({ lastAt: null })).toBeNull()
  })

  it.each([
    ['it was heard from later on', { firstAt: FROM + 1 }, 'not-asked', 'only from 2026-06-06T21:00:00.001Z on'],
    ['it lags', { lastAt: FROM + 9999 }, 'timeout', 'is of 2026-06-06T21:00:09.999Z'],
    ['it was cut', { cutAt: FROM + 5 }, 'too-large', 'after 2026-06-06T21:00:00.005Z'],
  ])('is blind where %s', (_, changes, code, detail) => {
    expect(findReason(changes)).toEqual({ code, detail: expect.stringContaining(detail) as string })
  })

  it('has its reason if it broke off or has no line', () => {
    const broken = { code: 'forbidden', detail: 'no right' } as const
    expect([findReason({ firstAt: FROM + 1, blind: broken }), findReason({ firstAt: null })]).toEqual([null, null])
  })

  it.each([
    ['a delete of it', line(), true],
    [
      'a delete of all',
      line({ verb: 'deletecollection', objectRef: { resource: 'pods', namespace: 'runners' } }),
      true,
    ],
    ['its creation', line({ verb: 'create' }), false],
    ['a delete of its node', line({ objectRef: { resource: 'nodes', name: 'n1' } }), false],
    ['a delete of one that had the name before', line({ afterMs: -60_001 }), false],
    ['a delete of another UID', line({ objectRef: { resource: 'pods', name: 'a', uid: 'v' } }), false],
  ])('has one with %s: %s', (_, text, expected) => {
    expect(findReason({ firstAt: FROM + 1, lines: [text] }) === null).toBe(expected)
  })

  it('never looks from a time that is after its last', () => {
    const found = auditLogFile({ ...looking, firstAt: FROM + 9, lastAt: FROM + 2 }, scope, FROM + 60_000)
    expect(found).toMatchObject({ coverage: { from: FROM + 2, to: FROM + 2 } })
  })
})
