import { describe, expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { aboutSubject } from '#/core/evidence/about-subject.ts'
import { clueFinder } from '#/core/evidence/find-clues.ts'
import { seen } from '#/core/basics/observed.ts'
import { supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import type { Evidence } from '#/core/why/evidence.ts'
import { QUESTIONED_SOURCES, judge } from '#/core/why/verdict.ts'
import { buildRules } from '#/runtime/why/judge-bundle.ts'
import { readCommon } from '#/runtime/why/read-lists.ts'
import { readEvidence } from '#/runtime/why/read-evidence.ts'
import { readJournal } from '#/runtime/why/read-journal.ts'
import { readLogs } from '#/runtime/why/read-logs.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { makeBundle, makeJournal, podObject } from '#test/why/bundle-in-memory.ts'
import {
  END,
  OTHER_UID,
  SIDECAR_ID,
  SUBJECT,
  UID,
  annotationFact,
  makeAudit,
  makeContainer,
  ended,
  endedPod,
  makeEvent,
  makeEvidence,
  makeJob,
  journalFact,
  logFact,
  makeLog,
  looking,
  makePod,
  second,
} from '#test/why/evidence.ts'

const judgeEvidence = (e: Partial<Evidence>) => judge(openDossier(makeEvidence(e)), CAUSES)
const rules = buildRules(SIGNATURES)

describe('fixed verdicts', () => {
  it('a reboot without a log is not runtime-fault', () => {
    const boots = [
      { id: 'a', from: second(-9000), to: second(END) },
      { id: 'b', from: second(END + 40), to: second(END + 290) },
    ]
    const pod = endedPod(255, { reason: 'Unknown', finishedAt: second(END + 90) })
    const { verdict } = judgeEvidence({
      pod,
      boots,
      job: makeJob(),
      clues: [annotationFact('lost-communication')],
      sources: looking('kubernetes/pods', 'journal', 'github/jobs', 'github/annotations'),
    })
    expect(`${verdict.cause} ${verdict.confidence}`).toMatch(/^(node-lost|unknown)/)
  })
  it('sources that were read are not missing', async () => {
    const contents = {
      lists: { pods: [podObject('linux-x1')] },
      hosts: { 'host/n1/df': 'x' },
      rateLimit: { rate: { remaining: 0, limit: 1 } },
    }
    const e = await readEvidence(await readCommon(makeBundle(contents)), { ...SUBJECT, uid: 'uid-of-linux-x1' }, rules)
    expect(['host', 'github/rate-limit'].filter((s) => e.sources.get(s)?.kind !== 'looked')).toEqual([])
  })
  it('a controller line about linux-x10 is not about linux-x1', async () => {
    const logs = {
      'logs/arc/arc-controller/manager.log':
        'runner pod terminated pod=linux-x10 exitCode=137 signal=9 reason=OOMKilled',
    }
    const read = await readLogs(
      await readCommon(makeBundle({ logs })),
      { subject: SUBJECT, pod: null, job: null },
      clueFinder(SIGNATURES),
    )
    expect(read.clues.filter(({ about }) => about === 'subject')).toEqual([])
  })
  it('a line with the UID of the pod is about it, for any container', () => {
    expect(aboutSubject({ groups: { uid: UID, container: 'f'.repeat(64) } }, SUBJECT)).toBe('subject')
  })
  it('the best guess stays the best when many sources are blind', () => {
    const cause = (id: string, weight: number): Cause => ({
      id,
      kind: 'death',
      meaning: '',
      distinguishedBy: '',
      settledBy: [],
      weigh: () => supports(weight, journalFact('x')),
      sentence: () => 'X.',
      next: () => [],
    })
    const { alternatives } = judge(openDossier(makeEvidence({ sources: looking('logs') })), [
      cause('weak', 0.12),
      cause('strong', 0.5),
    ])
    expect(alternatives[0]?.cause).toBe('strong')
  })
  it('an unknown end with everything read says what to do', () => {
    expect(judgeEvidence({ sources: looking(...QUESTIONED_SOURCES) }).verdict.next).not.toEqual([])
  })
  it('an eviction in the status is not refuted by exit code 0 if its time is not known', () => {
    const pod = endedPod(
      0,
      {},
      {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.',
      },
    )
    const { verdict, alternatives } = judgeEvidence({ pod, sources: looking('kubernetes/pods') })
    expect(`${verdict.cause} ${verdict.confidence} ${JSON.stringify(alternatives)}`).toMatch(/^evicted-own-limit/)
  })
  it('a journal that only has an earlier pod shows nothing about the subject', async () => {
    const killing = `"Killing container with a grace period" pod="ci/linux-x1" podUID="${OTHER_UID}" containerName="runner" containerID="containerd://x" gracePeriod=30`
    const journal = makeJournal(
      [-900, 'kubelet', killing],
      [-899, 'kubelet', '"SyncLoop DELETE" source="api" pods=["ci/linux-x1"]'],
      [-898, 'kubelet', '"SyncLoop REMOVE" source="api" pods=["ci/linux-x1"]'],
    )
    const { clues } = await readJournal(makeBundle({ journals: { n1: seen(journal) } }), SUBJECT, rules)
    expect(clues.map(({ is, about }) => `${is} ${about}`)).toEqual([])
  })
  it('the kubelet that finishes the delete of a successor does not finish a forced delete of this pod', () => {
    const meta = { hasBody: false }
    const e = {
      pod: null,
      job: makeJob(),
      log: makeLog({ lastAt: second(505) }),
      events: [makeEvent()],
      clues: [logFact('job-running', { at: 61 })],
      sources: looking('kubernetes/audit', 'logs', 'github/jobs'),
      auditLog: [
        makeAudit({ at: 500, graceSeconds: 0 }),
        makeAudit({ ...meta, at: 3000, user: 'bob' }),
        makeAudit({ ...meta, at: 3031, user: 'system:node:n1' }),
      ],
      now: second(4000),
    }
    expect(openDossier(makeEvidence(e)).removals[0]).toMatchObject({ by: 'user:alice', manner: 'forced' })
  })
  it('the cgroup of the runner is not that of the container that ended the job', () => {
    const dind = makeContainer({ name: 'dind', id: SIDECAR_ID, state: ended(137, { finishedAt: second(550) }) })
    const pod = makePod({ containers: [dind, makeContainer({ state: ended(1) })] })
    const cgroups = [{ container: null, files: new Map([['memory.events', 'oom_kill 1']]) }]
    const d = openDossier(makeEvidence({ pod, job: makeJob(), cgroups }))
    expect([d.ending.container, d.memory.counted]).toEqual(['dind', []])
  })
  it('a short grace of a sidecar is not a stop of the runner', async () => {
    const line = `"Killing container with a grace period" pod="ci/linux-x1" podUID="${UID}" containerName="dind" containerID="containerd://${SIDECAR_ID}" gracePeriod=2`
    const { clues } = await readJournal(
      makeBundle({ journals: { n1: seen(makeJournal([END + 1, 'kubelet', line])) } }),
      SUBJECT,
      rules,
    )
    const d = openDossier(makeEvidence({ pod: endedPod(139), clues }))
    expect(d.stopping.stops.map(({ is }) => is)).toEqual([])
  })
})
