import { readdirSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { CAUSES } from '#/causes/index.ts'
import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import { CAUSE_KINDS, computeConfidence } from '#/core/why/cause.ts'
import { openDossier } from '#/core/why/dossier.ts'
import { sourceGroup } from '#/core/why/fact.ts'
import { judge } from '#/core/why/verdict.ts'
import { makeEvidence } from '#test/why/evidence.ts'

/** The table of docs/contracts/causes.md, word for word: what each means, and their order. */
const CONTRACT: readonly (readonly [id: string, kind: string, meaning: string])[] = [
  ['image-pull', 'never-started', 'the image could not be pulled; a Pending pod often hides it'],
  ['unschedulable', 'never-started', 'the scheduler found no node: resources, taints, volumes, pod slots'],
  ['quota-exceeded', 'never-started', "the namespace's quota refused the pod"],
  [
    'start-failed',
    'never-started',
    "the pod's own configuration stopped it: a missing secret, a bad mount, a bad command",
  ],
  ['degraded-node', 'never-started', 'the node took the pod and could not start it, whatever its Ready condition says'],
  [
    'registration-denied',
    'never-started',
    'GitHub refused to register the runner: credentials, permissions, installation',
  ],
  ['api-rate-limited', 'never-started', "the credential's API budget is spent"],
  ['runner-outdated', 'never-started', 'GitHub refuses this runner version'],
  ['session-conflict', 'never-started', "the runner's session or JIT configuration was already in use"],
  ['runner-deregistered', 'never-started', 'the registration was removed on the server'],
  ['completed-normally', 'not-a-death', 'the job ended and GitHub knows'],
  [
    'completion-handshake-lost',
    'not-a-death',
    'the job ended, the runner left cleanly, and GitHub did not learn of it',
  ],
  ['job-failed', 'not-a-death', 'a step failed by itself; the runner was healthy'],
  ['job-cancelled', 'not-a-death', 'a person or the server cancelled it'],
  ['job-timed-out', 'not-a-death', "`timeout-minutes` or GitHub's own limit ran out"],
  ['no-job-assigned', 'not-a-death', 'the runner ended without ever having had a job'],
  ['self-update', 'not-a-death', 'the runner left to update itself'],
  ['tls-trust', 'not-a-death', 'a certificate was not trusted inside the build'],
  ['workspace-unclean', 'not-a-death', 'leftovers in the work folder stopped checkout before any code ran'],
  ['oom-container', 'death', "the container's memory limit was reached and the kernel killed it or its main process"],
  ['oom-step', 'death', 'a process of the job was killed for memory; the runner itself lived on'],
  ['oom-guest', 'death', 'memory ran out inside the microVM'],
  ['oom-node', 'death', "the host ran out of memory, or the host killed the microVM's process for memory"],
  [
    'evicted-node-pressure',
    'death',
    'the kubelet evicted the pod because the node was short of disk, memory or process ids',
  ],
  ['evicted-own-limit', 'death', 'the pod went over its own ephemeral-storage or volume limit'],
  ['deadline-exceeded', 'death', "the pod's own `activeDeadlineSeconds` ran out"],
  [
    'graceful-shutdown',
    'death',
    'someone ended the pod in the ordinary way while it worked: drain, scale-down, preemption, spot notice, a person',
  ],
  [
    'drain-without-trap',
    'death',
    'the same, but the runner ignored SIGTERM and was killed when the grace period ended',
  ],
  ['force-deleted', 'death', 'the pod object was removed under a working runner'],
  ['killed-in-container', 'death', 'SIGKILL from inside the container or guest, with no memory evidence'],
  ['vm-teardown', 'death', 'the microVM or its shim ended on the host'],
  ['node-lost', 'death', 'the node went away: reboot, power, spot, network partition of the whole node'],
  ['runtime-fault', 'death', 'containerd or the kubelet failed and took the pod with it'],
  ['disk-full', 'death', 'no space or no inodes left where the runner writes'],
  ['fd-exhausted', 'death', "the host's file table, or the process's limit, was used up"],
  ['pids-exhausted', 'death', 'no process ids left'],
  ['host-starvation', 'death', 'the runner was starved of CPU or IO for so long that GitHub gave it up'],
  ['network-fault', 'death', 'the runner lived and could not reach GitHub'],
  ['lock-lost', 'death', 'the runner failed to renew its job lock and abandoned the job'],
  ['process-crash', 'death', 'the runner process crashed: segfault, abort'],
  ['unknown', 'unknown', 'the evidence names no cause above 0.5'],
]

/** Phrases of the table that refer to the row before. */
const ALONE: ReadonlyMap<string, string> = new Map([['the same, but', 'the same as graceful-shutdown, but']])

const standalone = (meaning: string) => [...ALONE].reduce((text, [words, own]) => text.replace(words, own), meaning)

/** As docs/contracts/bundle.md names them. */
const SOURCES: ReadonlySet<string> = new Set([
  ...BUNDLE_RESOURCES.map((resource) => `kubernetes/${resource}`),
  'kubernetes/audit',
  'kubernetes/stats',
  'kubernetes/configz',
  'logs',
  'journal',
  'cgroup',
  'processes',
  'host',
  'github/jobs',
  'github/runs',
  'github/annotations',
  'github/logs',
  'github/runners',
  'github/queued-jobs',
  'github/rate-limit',
])

const EACH = CAUSES.map((cause) => [cause.id, cause] as const)
const NOTHING = openDossier(makeEvidence())
const NOBODY = openDossier(
  makeEvidence({
    subject: {
      namespace: null,
      pod: null,
      uid: null,
      node: null,
      runner: null,
      jobId: null,
      runId: null,
      isJobAsked: false,
      containerIds: [],
    },
  }),
)

describe('the causes', () => {
  it('are those of the contract, in its order, with its kinds and meanings', () => {
    const unknown = ['unknown', 'unknown', 'the evidence names no cause above 0.5']
    const ours = [...CAUSES.map(({ id, kind, meaning }) => [id, kind, meaning]), unknown]
    expect(ours).toEqual(CONTRACT.map(([id, kind, meaning]) => [id, kind, standalone(meaning)]))
    expect(new Set(CONTRACT.map(([, kind]) => kind))).toEqual(new Set(CAUSE_KINDS))
  })

  it('are each in a file with their id as name', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => !/^index\.ts$|\.test\.ts$/.test(name))
    expect(files.map((name) => path.basename(name, '.ts')).toSorted()).toEqual(CAUSES.map(({ id }) => id).toSorted())
  })

  it('that the pod status alone proves are exactly these', () => {
    expect(CAUSES.flatMap(({ id, isProvenByStatus }) => (isProvenByStatus ? [id] : [])).toSorted()).toEqual([
      'deadline-exceeded',
      'evicted-node-pressure',
      'evicted-own-limit',
      'image-pull',
      'oom-container',
      'unschedulable',
    ])
  })

  it('name nothing when nothing was collected', () => {
    const { verdict } = judge(NOTHING, CAUSES)
    expect(verdict).toMatchObject({ cause: 'unknown', because: [] })
  })
})

describe.each(EACH)('%s', (_id, cause) => {
  it('says how to distinguish it and which sources would settle it', () => {
    expect(cause.distinguishedBy).toMatch(/^[A-Z0-9].{20,}\.$/s)
    expect(cause.settledBy).not.toEqual([])
    expect(cause.settledBy.filter((source) => !SOURCES.has(source))).toEqual([])
    expect(new Set(cause.settledBy).size).toBe(cause.settledBy.length)
  })

  it('is not named without evidence, and its limits give a reason and real sources', () => {
    for (const dossier of [NOTHING, NOBODY]) {
      const points = cause.weigh(dossier)
      expect(computeConfidence(points, cause, sourceGroup)).toBeLessThanOrEqual(0.5)
      const limits = points.filter((point) => point.kind === 'limit')
      expect(points.filter(({ kind }) => kind === 'for')).toEqual([])
      expect(limits.flatMap(({ missing }) => missing).filter((source) => !SOURCES.has(source))).toEqual([])
      // It is used in a sentence after "but", before the full stop.
      expect(limits.filter(({ why }) => !/^\S.*[^.\s]$/.test(why))).toEqual([])
    }
  })

  it('has a sentence and advice for any evidence', () => {
    for (const dossier of [NOTHING, NOBODY]) {
      expect(cause.sentence(dossier)).toMatch(/^[A-Z].*[^ .]\.$/s)
      expect(cause.sentence(dossier)).not.toMatch(/undefined|null|NaN|\{|\s{2}/)
      expect(cause.next(dossier)).not.toEqual([])
      expect(
        cause.next(dossier).filter((line) => !/^\S.*[.)]$/s.test(line) || /undefined|null|NaN/.test(line)),
      ).toEqual([])
      expect([null, 'kubelet']).toContain(cause.actor?.(dossier) ?? null)
    }
  })
})
