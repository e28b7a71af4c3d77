import { describe, expect, it } from 'vitest'
import { readAudit } from '#/core/audit-facts.ts'
import type { AuditFacts } from '#/core/audit-facts.ts'
import type { AuditLogEvent } from '#/ports/audit-log.ts'
import { isKept, readAuditLog } from './audit-evidence.ts'

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

async function* logOf(...events: readonly (string | AuditLogEvent)[]): AsyncGenerator<AuditLogEvent> {
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
    expect(isKept(readAudit(JSON.parse(text)) as AuditFacts, scope)).toBe(expected)
  })

  it('about any pod is kept where nobody knows the namespace', () => {
    const facts = readAudit(
      JSON.parse(line({ objectRef: { resource: 'pods', namespace: 'web', name: 'a' } })),
    ) as AuditFacts
    expect(isKept(facts, { ...scope, namespaces: null })).toBe(true)
  })
})

describe('the audit log', () => {
  const read = (...events: readonly (string | AuditLogEvent)[]) =>
    readAuditLog({ lines: () => logOf(...events) }, scope, { signal })

  it('looks from its first line on, whatever that is about', async () => {
    const early = line({ verb: 'update', afterMs: -5000, objectRef: { resource: 'leases' } })
    const started = line({ stage: 'ResponseStarted' })
    expect(await read('not json', early, line(), started, '{"cut')).toEqual({
      lines: [line()],
      firstAt: FROM - 5000,
      cutAt: null,
      blind: null,
    })
  })

  it('says how far it came where not all of it fits in', async () => {
    const first = line({ afterMs: 10 })
    const log = { lines: () => logOf(first, line({ afterMs: 20 }), line({ afterMs: 30 })) }
    const cut = await readAuditLog(log, scope, { signal, most: first.length })
    expect(cut).toMatchObject({ lines: [first], cutAt: FROM + 10 })
  })

  it('is blind where it breaks off', async () => {
    const reason = { code: 'forbidden', detail: 'no right' } as const
    expect(await read(line(), { kind: 'blind', reason })).toMatchObject({ blind: reason })
  })
})
