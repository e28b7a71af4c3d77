import { describe, expect, it } from 'vitest'
import { openMemoryStore } from '#/adapters/memory/store.ts'
import type { AuditLog } from '#/ports/audit-log.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import type { Store } from '#/ports/store/store.ts'
import type { ServedTerm } from '#/runtime/lead/loop.ts'
import { createGlassWatch } from './break-glass.ts'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const CLOCK = { now: () => NOW, sleep: async () => {} }
const GLASS = 'signalbox.dev/break-glass'
const SIGNAL = new AbortController().signal
const termOf = (epoch: number): ServedTerm => ({ epoch: () => epoch })
const TERM = termOf(1)

/** Led by the one that writes. */
async function ledStore(): Promise<Store> {
  const { store, lead } = openMemoryStore()
  await lead()
  return store
}

function brokenPod(reason = 'it mines coins', uid = 'u1'): KubeObject {
  const fieldsV1 = { 'f:metadata': { 'f:annotations': { [`f:${GLASS}`]: {} } } }
  const managedFields = [{ manager: 'kubectl-annotate', time: '2026-11-18T11:59:58Z', fieldsV1 }]
  const labels = { 'actions.github.com/scale-set-name': 'lane' }
  const metadata = { name: 'a', namespace: 'runners', uid, resourceVersion: '1', labels, managedFields }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, annotations: { [GLASS]: reason } } }
}

function line(user: string, change: object = {}): string {
  const objectRef = { resource: 'pods', namespace: 'runners', name: 'a' }
  const at = '2026-11-18T11:59:58.000000Z'
  const event = { verb: 'patch', user: { username: user }, objectRef }
  return JSON.stringify({ ...event, requestReceivedTimestamp: at, responseStatus: { code: 200 }, ...change })
}

function auditLog(lines: readonly string[]): AuditLog {
  return {
    lines: async function* () {
      for (const text of lines) yield { kind: 'line', text }
    },
  }
}

function open(audit: AuditLog | null, { ledger }: Pick<Store, 'ledger'>) {
  const watch = createGlassWatch({ ledger, audit, clock: CLOCK, log: { warn: () => {} } })
  const list = () => ledger.list({ act: 'break-glass', limit: 10 })
  return { ...watch, list, ledger }
}

const BODY = { requestObject: { metadata: { annotations: { [GLASS]: 'it mines coins' } } } }

describe('a broken glass', () => {
  it('is one row of the ledger, with the reason, however often it is seen', async () => {
    const store = await ledStore()
    for (const round of [1, 2]) {
      const glass = open(null, store)
      glass.hear({ kind: 'modified', object: brokenPod() })
      glass.hear({ kind: 'deleted', object: brokenPod() })
      await glass.record(SIGNAL, TERM)
      const rows = await glass.list()
      expect([round, rows.length]).toEqual([round, 1])
      expect(rows[0]).toMatchObject({
        act: 'break-glass',
        at: Date.parse('2026-11-18T11:59:58Z'),
        subject: { kind: 'Pod', namespace: 'runners', name: 'a', uid: 'u1' },
        actor: 'unknown',
        outcome: 'done',
        loop: 'guard',
        scaleSet: 'runners/lane',
        why: `${GLASS} was set by kubectl-annotate: it mines coins`,
      })
    }
  })

  it.each([
    ['jane', [line('jane', BODY), line('bob')]],
    ['bob', [line('jane'), line('bob')]],
    ['jane', [line('jane'), line('system:node:n1'), line('bob', { responseStatus: { code: 403 } })]],
    ['jane', [line('jane'), line('signalbox', { requestURI: '/api/v1/x?fieldManager=signalbox-guard' })]],
    ['unknown', [line('jane', { verb: 'delete' }), 'no JSON']],
    ['unknown', []],
  ])('is by %s, who changed the pod in the audit log', async (actor, lines) => {
    const glass = open(auditLog(lines), await ledStore())
    glass.hear({ kind: 'added', object: brokenPod() })
    await glass.record(SIGNAL, TERM)
    expect(await glass.list()).toMatchObject([{ actor }])
  })

  it('is kept until the ledger can be written', async () => {
    const { ledger } = await ledStore()
    let isAway = true
    const record: typeof ledger.record = async (attempt) => {
      if (isAway) throw new Error('the database is away')
      return await ledger.record(attempt)
    }
    const glass = createGlassWatch({
      ledger: { ...ledger, record },
      audit: null,
      clock: CLOCK,
      log: { warn: () => {} },
    })
    glass.hear({ kind: 'deleted', object: brokenPod() })
    await expect(glass.record(SIGNAL, TERM)).rejects.toThrow('away')
    isAway = false
    await glass.record(SIGNAL, TERM)
    expect(await ledger.list({ limit: 10 })).toHaveLength(1)
  })

  it('is left to the leader by one that led before, and written by it when it leads again', async () => {
    const { store, lead } = openMemoryStore()
    const terms = [await lead(), await lead()]
    const glass = open(null, store)
    glass.hear({ kind: 'deleted', object: brokenPod() })
    const [former = 0, latest = 0] = terms
    await expect(glass.record(SIGNAL, termOf(former))).rejects.toThrow('another server leads')
    expect(await glass.list()).toEqual([])
    await glass.record(SIGNAL, termOf(latest))
    expect(await glass.list()).toMatchObject([{ epoch: latest }])
  })

  it('needs a reason, which is redacted', async () => {
    const glass = open(null, await ledStore())
    const token = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')
    glass.hear({ kind: 'added', object: brokenPod(' ', 'u2') })
    glass.hear({ kind: 'added', object: brokenPod(`token ${token}`) })
    await glass.record(SIGNAL, TERM)
    const rows = await glass.list()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})
