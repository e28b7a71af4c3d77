import { describe, expect, it } from 'vitest'
import { blind, none, seen } from '#/core/basics/observed.ts'
import { readListener } from '#/core/fleet/scale-set.ts'
import { readPodRecord } from '#/core/kubernetes/pod-record.ts'
import { proveListener, readAnnounced } from './prove-listener.ts'
import type { ListenerSight } from './prove-listener.ts'

const WANTED = { min: 0, max: 0 }
const dark = blind('forbidden', '403')
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } }

function pod(uid: string, state: object, metadata: object = {}) {
  return seen(
    readPodRecord({
      metadata: { name: 'l', uid, ...metadata },
      status: { containerStatuses: [{ name: 'listener', state }] },
    }),
  )
}

// Go leaves out a 0.
const SIGHT: ListenerSight = {
  listeners: seen([readListener({ metadata: { name: 'l' }, spec: {} })]),
  pod: pod('new', running),
  log: seen('Calculated target runner count min=0 max=0'),
}

describe('the listener', () => {
  it.each<readonly [string, Partial<ListenerSight>, string]>([
    ['says the new value', {}, 'proved'],
    ['says the old value', { log: seen('Calculated target runner count min=2 max=8') }, 'not-yet'],
    ['has not said anything', { log: none() }, 'not-yet'],
    ['is new, and its log cannot be read', { log: dark }, 'proved'],
    ['is the old one, and its log cannot be read', { log: dark, pod: pod('old', running) }, 'blind'],
    ['is going', { pod: pod('new', running, { deletionTimestamp: '2026-01-01T00:00:00Z' }) }, 'not-yet'],
    ['cannot start', { pod: pod('new', { waiting: { reason: 'ErrImagePull' } }) }, 'not-yet'],
    ['has no pod', { pod: none() }, 'not-yet'],
    ['has a pod that cannot be read', { pod: dark }, 'blind'],
    ['does not exist', { listeners: none() }, 'not-yet'],
    ['cannot be read', { listeners: dark }, 'blind'],
    [
      'still has the old value',
      { listeners: seen([readListener({ metadata: { name: 'l' }, spec: { maxRunners: 8 } })]) },
      'not-yet',
    ],
  ])('that %s', (_, change, kind) => {
    expect(proveListener(WANTED, { ...SIGHT, ...change }, 'old').kind).toBe(kind)
  })

  it.each([
    ['{"severity":"info","message":"Calculated target runner count","assigned job":0,"decision":0,"min":0,"max":4}'],
    ['{"time":"t","level":"INFO","msg":"Calculated target runner count","assigned job":0,"min":0,"max":4}'],
    ['first Calculated target runner count min=1 max=9\nlast Calculated target runner count min=0 max=4'],
  ])('says its bounds in %s', (log) => {
    expect(readAnnounced(log)).toEqual({ min: 0, max: 4 })
  })
})
