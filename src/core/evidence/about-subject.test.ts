import { describe, expect, it } from 'vitest'

import { aboutLine, aboutSubject } from './about-subject.ts'
import type { Subject } from './subject.ts'

const UID = '577ae8fa-cf31-40e1-9af5-6aa52f235a10'
const ID = 'a7961328eccba44173c63cfc7ec5e189a8a7cb86b6cbfbaf2045c7402f6057a8'
const OTHER = 'b'.repeat(64)

const subject: Subject = {
  namespace: 'ci',
  pod: 'runner-1',
  uid: UID,
  node: 'n1',
  runner: null,
  jobId: null,
  runId: null,
  isJobAsked: false,
  containerIds: [ID],
}

const LINES: readonly (readonly [groups: Readonly<Record<string, string>>, about: string])[] = [
  [{ uid: UID }, 'subject'],
  [{ uid: UID.replace('5', '6') }, 'another'],
  [{ pod: 'ci/runner-1' }, 'subject'],
  [{ pod: 'other/runner-1' }, 'another'],
  [{ pod: 'ci/runner-10' }, 'another'],
  [{ pod: 'runner-1' }, 'subject'],
  [{ pod: `ci/runner-1(${UID})` }, 'subject'],
  [{ pod: 'ci/runner-1(another-uid)' }, 'another'],
  [{ pod: 'ci/runner-1', uid: 'another-uid' }, 'another'],
  [{ container: ID }, 'subject'],
  [{ container: ID.slice(0, 12) }, 'subject'],
  [{ container: OTHER }, 'another'],
  [{ pod: 'ci/runner-1', container: 'runner' }, 'subject'],
  [{ cgroup: `/kubepods/burstable/pod${UID}/${ID}` }, 'subject'],
  [{ cgroup: `/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice` }, 'subject'],
  [{ cgroup: `/system.slice/cri-containerd-${ID}.scope` }, 'subject'],
  [{ cgroup: `/kubepods/pod${'0'.repeat(36)}/${OTHER}`, limited: `/kubepods/pod${UID}` }, 'another'],
  [{ limited: `/kubepods/pod${UID}` }, 'subject'],
  [{ victim: 'java', pid: '7' }, 'node'],
  [{}, 'node'],
]

describe('a line of the node', () => {
  it.each(LINES)('with %j is about: %s', (groups, about) => {
    expect(aboutSubject({ groups }, subject)).toBe(about)
  })

  it('that names a pod is never about a subject whose pod is not known', () => {
    const unknown: Subject = { ...subject, pod: null, uid: null, containerIds: [] }
    const naming = LINES.filter(([, about]) => about !== 'node')
    expect(naming.map(([groups]) => aboutSubject({ groups }, unknown))).toEqual(naming.map(() => 'another'))
  })
})

describe('a line whose clue names no pod', () => {
  const silent = { groups: { victim: 'java' } }

  it.each([
    ['speaks of the node', 'Out of memory: Killed process 7 (java)', 'node'],
    ['speaks of the subject by the id of its container', `level=error msg="failed" id=${ID}`, 'subject'],
    ['speaks of another by the id of its container', `level=error msg="failed" id=${OTHER}`, 'another'],
    ['speaks of the subject if one of several ids is its own', `id=${OTHER} sandbox=${ID}`, 'subject'],
    ['speaks of the node by a shorter number', `id=${ID.slice(0, 12)}`, 'node'],
    ['speaks of the subject by the name of its pod', '"SyncLoop" pod="ci/runner-1"', 'subject'],
    ['speaks of the subject in a list of pods', '"SyncLoop DELETE" source="api" pods=["ci/runner-1"]', 'subject'],
    ['speaks of another by the name of its pod', '"SyncLoop" pod="ci/runner-10"', 'another'],
    ['speaks of another in another namespace', '"SyncLoop" pod="prod/runner-1"', 'another'],
    ['speaks of the subject by a name with its UID', `pod="ci/runner-1(${UID})"`, 'subject'],
  ])('%s', (_what, message, about) => {
    expect(aboutLine(silent, message, subject)).toBe(about)
  })

  it('is not searched if the clue names a pod', () => {
    expect(aboutLine({ groups: { pod: 'ci/other' } }, `id=${ID}`, subject)).toBe('another')
    expect(aboutLine({ groups: { pod: 'ci/runner-1' } }, `id=${OTHER}`, subject)).toBe('subject')
  })
})

describe('a subject of which little is known', () => {
  it('is found by its name in any namespace and with any UID', () => {
    const unknown: Subject = { ...subject, namespace: null, uid: null }
    expect(aboutSubject({ groups: { pod: 'prod/runner-1(another-uid)' } }, unknown)).toBe('subject')
  })

  it('has no cgroup that a UID could identify', () => {
    expect(aboutSubject({ groups: { cgroup: '/kubepods/podnull/x' } }, { ...subject, uid: null })).toBe('another')
  })
})
