import { describe, expect, it } from 'vitest'

import { learnIdentity, namedSpan } from '#/core/why/identity.ts'
import { CONTAINER_ID, OTHER_UID, SIDECAR_ID, SUBJECT, UID } from '#test/why/evidence.ts'

const SANDBOX = 'c'.repeat(64)
const FORGOTTEN = { ...SUBJECT, uid: null, containerIds: [] }

const sandbox = (uid: string, id: string, pod = 'linux-x1', namespace = 'ci') =>
  String.raw`level=info msg="RunPodSandbox for &PodSandboxMetadata{Name:${pod},Uid:${uid},Namespace:${namespace},Attempt:0,} returns sandbox id \"${id}\""`
const container = (inside: string, id: string, name: string) =>
  String.raw`level=info msg="CreateContainer within sandbox \"${inside}\" for &ContainerMetadata{Name:${name},Attempt:0,} returns container id \"${id}\""`
const died = (uid: string, id: string, pod = 'ci/linux-x1') =>
  `"SyncLoop (PLEG): event for pod" pod="${pod}" event={"ID":"${uid}","Type":"ContainerDied","Data":"${id}"}`
const killing = (uid: string, pod = 'ci/linux-x1') =>
  `"Killing container with a grace period" pod="${pod}" podUID="${uid}" containerName="runner"`

describe('what the journal shows of a pod that the API server no longer has', () => {
  it.each([
    ['the sandbox that the runtime made', sandbox(UID, SANDBOX)],
    ['an event of the kubelet', died(UID, CONTAINER_ID)],
    ['a line that has the UID beside the name', killing(UID)],
  ])('is its UID, by %s', (_what, line) => {
    expect(learnIdentity(['something else', line], FORGOTTEN).uid).toBe(UID)
  })

  it('is the last UID with the name: an earlier pod may have had it before', () => {
    expect(learnIdentity([killing(OTHER_UID), killing(UID)], FORGOTTEN).uid).toBe(UID)
  })

  it('never replaces a UID that is known', () => {
    expect(learnIdentity([killing(OTHER_UID)], { ...SUBJECT, containerIds: [] })).toMatchObject({
      uid: UID,
      containerIds: [],
    })
  })

  it.each([
    ['another pod whose name begins alike', killing(OTHER_UID, 'ci/linux-x1-b')],
    ['a pod of that name in another namespace', killing(OTHER_UID, 'prod/linux-x1')],
    ['a line without a UID', '"SyncLoop DELETE" source="api" pods=["ci/linux-x1"]'],
  ])('is not learned from %s', (_what, line) => {
    expect(learnIdentity([line], FORGOTTEN)).toEqual({ uid: null, containerIds: [], containerNames: new Map() })
  })

  it('is taken from any namespace if the namespace is not known', () => {
    expect(learnIdentity([killing(UID)], { ...FORGOTTEN, namespace: null }).uid).toBe(UID)
  })

  it('is nothing for a subject without a pod, whose known containers stay', () => {
    const subject = { ...SUBJECT, uid: null, pod: null }
    expect(learnIdentity([killing(UID)], subject)).toMatchObject({ uid: null, containerIds: [CONTAINER_ID] })
  })

  it('are its containers with their names, and its sandbox', () => {
    const lines = [
      sandbox(UID, SANDBOX),
      container(SANDBOX, CONTAINER_ID, 'runner'),
      container(SANDBOX, SIDECAR_ID, 'dind'),
    ]
    const { containerIds, containerNames } = learnIdentity(lines, FORGOTTEN)
    expect(containerIds.toSorted()).toEqual([CONTAINER_ID, SIDECAR_ID, SANDBOX])
    expect(containerNames).toEqual(
      new Map([
        [CONTAINER_ID, 'runner'],
        [SIDECAR_ID, 'dind'],
      ]),
    )
  })

  it('are not the containers in the sandbox of an earlier or another pod', () => {
    const lines = [
      sandbox(OTHER_UID, 'd'.repeat(64)),
      container('d'.repeat(64), 'e'.repeat(64), 'runner'),
      died(OTHER_UID, 'e'.repeat(64)),
      died(UID, CONTAINER_ID),
    ]
    expect(learnIdentity(lines, FORGOTTEN)).toEqual({
      uid: UID,
      containerIds: [CONTAINER_ID],
      containerNames: new Map(),
    })
  })
})

describe('the lines of a journal in which the name is that of the subject', () => {
  const ALL = { from: -Infinity, to: Infinity }

  it.each([
    ['are all if no other pod has the name', ['x', killing(UID), 'y'], ALL],
    ['are all if it is named repeatedly', ['x', killing(UID), killing(UID), 'y'], ALL],
    ['are all if another pod is named', [killing(OTHER_UID, 'ci/linux-x2'), killing(UID)], ALL],
    [
      'begin with its UID after an earlier pod',
      ['x', killing(OTHER_UID), killing(UID), 'y'],
      { from: 2, to: Infinity },
    ],
    ['end before a later pod', [killing(UID), 'x', killing(OTHER_UID), 'y'], { from: -Infinity, to: 2 }],
    ['lie between both', [killing(OTHER_UID), killing(UID), null, killing(OTHER_UID)], { from: 1, to: 3 }],
    ['are all if its UID is not in the journal', ['x', 'y'], ALL],
  ])('%s', (_what, messages, span) => {
    expect(namedSpan(messages, SUBJECT)).toEqual(span)
  })

  it('are all lines if its UID is not known', () => {
    expect(namedSpan([killing(OTHER_UID), killing(UID)], FORGOTTEN)).toEqual(ALL)
  })
})
