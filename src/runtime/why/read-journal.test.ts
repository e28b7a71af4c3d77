import { describe, expect, it } from 'vitest'

import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Subject } from '#/core/evidence/subject.ts'
import { buildRules } from './judge-bundle.ts'
import { readJournal } from '#/runtime/why/read-journal.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { makeBundle, makeJournal } from '#test/why/bundle-in-memory.ts'
import type { Contents, JournalRow } from '#test/why/bundle-in-memory.ts'
import { CONTAINER_ID, OTHER_UID, SIDECAR_ID, SUBJECT, UID, second } from '#test/why/evidence.ts'

const rules = buildRules(SIGNATURES)
const reading = (journals: Contents['journals'], subject: Subject = SUBJECT, coverage: Contents['coverage'] = {}) =>
  readJournal(makeBundle(journals === undefined ? { coverage } : { journals, coverage }), subject, rules)
const readClues = async (...rows: readonly JournalRow[]) =>
  (await reading({ n1: seen(makeJournal(...rows)) })).clues.map(({ is, about }) => `${is} ${about}`)

const finished = (uid: string, id: string, code: number) =>
  `"Generic (PLEG): container finished" podID="${uid}" containerID="${id}" exitCode=${code}`
const deleted = (pod: string) => `"SyncLoop DELETE" source="api" pods=["${pod}"]`
const killing = (uid: string) =>
  `"Killing container with a grace period" pod="ci/linux-x1" podUID="${uid}" containerName="runner" containerID="containerd://x" gracePeriod=30`

describe('lines of the journal', () => {
  it('are about the subject or the node; lines about another pod are left out', async () => {
    expect(
      await readClues(
        [500, 'kubelet', finished(UID, CONTAINER_ID, 137)],
        [501, 'kubelet', finished(OTHER_UID, SIDECAR_ID, 137)],
        [502, 'kubelet', deleted('ci/other')],
        [503, 'kernel', 'Out of memory: Killed process 1849 (java) total-vm:1kB, anon-rss:1kB, file-rss:0kB'],
      ),
    ).toEqual(['container-exit subject', 'global-oom-kill node'])
  })

  it('have position, time and source', async () => {
    const journal = makeJournal([1, 'kubelet', 'nothing'], [2, 'kubelet', finished(UID, CONTAINER_ID, 137)])
    const { clues } = await reading({ n1: seen(journal) })
    expect(clues).toMatchObject([{ source: 'journal/n1', order: 1, at: second(2), fields: { code: '137' } }])
  })

  it('count by the program that wrote them: a job can print anything', async () => {
    expect(await readClues([1, 'sshd', finished(UID, CONTAINER_ID, 137)], [2, 'kubelet', null])).toEqual([])
    expect(await readClues([1, 'containerd', finished(UID, CONTAINER_ID, 137)])).toEqual([])
  })

  it('get the container name if they only have an id', async () => {
    const sandbox = 'c'.repeat(64)
    const rows = [
      [
        1,
        'containerd',
        String.raw`RunPodSandbox for &PodSandboxMetadata{Name:linux-x1,Uid:${UID},Namespace:ci,Attempt:0,} returns sandbox id \"${sandbox}\"`,
      ],
      [
        2,
        'containerd',
        String.raw`CreateContainer within sandbox \"${sandbox}\" for &ContainerMetadata{Name:dind,Attempt:0,} returns container id \"${SIDECAR_ID}\"`,
      ],
      [3, 'kubelet', finished(UID, SIDECAR_ID, 1)],
      [
        4,
        'kernel',
        `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/kubepods/pod${UID},task_memcg=/kubepods/pod${UID}/${SIDECAR_ID},task=dockerd,pid=7,uid=0`,
      ],
    ] as const
    const { clues, subject } = await reading({ n1: seen(makeJournal(...rows)) })
    expect(clues.map(({ is, fields: { name, containerId } }) => [is, name, containerId])).toEqual([
      ['container-exit', 'dind', SIDECAR_ID],
      ['oom-kill', 'dind', SIDECAR_ID],
    ])
    expect(subject.containerIds).toContain(SIDECAR_ID)
  })

  it('of an earlier pod of the same name are left out', async () => {
    const rows = [
      [10, 'kubelet', killing(OTHER_UID)],
      [11, 'kubelet', deleted('ci/linux-x1')],
      [100, 'kubelet', finished(UID, CONTAINER_ID, 0)],
      [101, 'kubelet', deleted('ci/linux-x1')],
    ] as const
    const { clues } = await reading({ n1: seen(makeJournal(...rows)) })
    expect(clues.map(({ is, order }) => `${is} ${order}`)).toEqual(['container-exit 2', 'pod-delete-seen 3'])
  })

  it('of a later pod of the same name are left out', async () => {
    const rows = [
      [100, 'kubelet', finished(UID, CONTAINER_ID, 0)],
      [101, 'kubelet', deleted('ci/linux-x1')],
      [200, 'kubelet', finished(OTHER_UID, SIDECAR_ID, 0).replace('podID', 'pod="ci/linux-x1" podUID')],
      [201, 'kubelet', killing(OTHER_UID)],
      [202, 'kubelet', deleted('ci/linux-x1')],
    ] as const
    const { clues } = await reading({ n1: seen(makeJournal(...rows)) })
    expect(clues.map(({ order }) => order)).toEqual([0, 1])
  })
})

describe('the journal of a pod whose node is not known', () => {
  const died = `"SyncLoop (PLEG): event for pod" pod="ci/linux-x1" event={"ID":"${UID}","Type":"ContainerDied","Data":"${CONTAINER_ID}"}`
  const lost: Subject = { ...SUBJECT, node: null, uid: null, containerIds: [] }

  it('is the one that names the pod', async () => {
    const journals = {
      n1: blind('malformed', 'broken'),
      n2: seen(makeJournal([1, 'kubelet', deleted('ci/other')])),
      n3: seen(makeJournal([1, 'kubelet', died], [2, 'kubelet', finished(UID, CONTAINER_ID, 137)])),
    }
    const { subject, clues, state } = await reading(journals, lost)
    expect(subject).toMatchObject({ node: 'n3', uid: UID })
    expect(clues.map(({ is }) => is)).toContain('container-exit')
    expect(state.kind).toBe('looked')
  })

  it('is blind if no journal names it, or none was collected', async () => {
    const journals = { n2: seen(makeJournal([1, 'kubelet', deleted('ci/other')])) }
    for (const given of [journals, undefined])
      expect(await reading(given, lost)).toMatchObject({
        clues: [],
        boots: [],
        subject: { node: null },
        state: { kind: 'blind' },
      })
    expect(await reading(journals, { ...lost, pod: null })).toMatchObject({ state: { kind: 'blind' } })
  })
})

describe('the time that a journal covers', () => {
  const journal = makeJournal([10, 'kubelet', 'a'], [90, 'kubelet', 'b'])

  it('is from its first to its last line', async () => {
    expect((await reading({ n1: seen(journal) })).state).toEqual({ kind: 'looked', from: second(10), to: second(90) })
  })

  it('is that of meta.json, if it has one', async () => {
    const coverage = { 'journal/n1': { from: second(0), to: second(100), remark: null } }
    expect((await reading({ n1: seen(journal) }, SUBJECT, coverage)).state).toEqual({
      kind: 'looked',
      from: second(0),
      to: second(100),
    })
  })

  it('is empty without lines: a node is never silent', async () => {
    const coverage = { 'journal/n1': { from: second(0), to: second(100), remark: null } }
    const { state } = await reading({ n1: none() }, SUBJECT, coverage)
    expect(state).toMatchObject({ kind: 'looked', from: Infinity, to: -Infinity })
  })

  it('is empty if lines could not be read', async () => {
    const gaps = [{ code: 'malformed' as const, detail: 'line 3' }]
    const { state } = await reading({ n1: seen({ ...journal, gaps }) })
    expect(state).toMatchObject({ kind: 'looked', from: Infinity, to: -Infinity })
  })

  it('is not known if the journal is blind', async () => {
    const broken = blind('too-large', 'over the limit')
    expect((await reading({ n1: broken })).state).toEqual(broken)
  })

  it('has boots, without invalid boot ids', async () => {
    const whole = { id: 'a1'.repeat(16), from: second(0), to: second(9) }
    const boots = [whole, { id: 'garbled', from: second(3), to: second(9) }]
    expect((await reading({ n1: seen({ ...journal, digest: { ...journal.digest, boots } }) })).boots).toEqual([whole])
  })
})
