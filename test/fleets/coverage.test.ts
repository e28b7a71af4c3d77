import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

/** The classes of each audit, as the contract lists them. */
const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  burst: [
    'queued-behind-active-runner-capacity',
    'scheduler-resource-pressure',
    'shared-label-fairness-contention',
    'pod-slot-pressure',
    'quota-limit',
    'image-pull-behind-pending',
    'missing-scratch-volume',
    'listener-unhealthy',
    'declared-max-reached',
    'declared-max-exceeds-physical',
    'runner-crash-loop',
    'starved',
    'saturated',
    'label-unserved',
  ],
  labels: ['label-spans-owners', 'label-spans-pools', 'overflow-unplaceable', 'declared-vs-live-drift'],
  imagefs: [
    'gc-imminent',
    'eviction-imminent',
    'disk-pressure',
    'single-filesystem',
    'unbounded-ephemeral-requests',
    'ephemeral-overcommit',
  ],
  runtime: [
    'idle-no-job-runner',
    'assigned-job-at-risk',
    'offline-no-job-cleanup-candidate',
    'stale-idle-listener-blocker',
    'cancelled-job-handoff',
    'listener-missing',
    'listener-stale-reference',
    'rollover-in-flight',
    'rollover-wedged',
    'zombie-session-conflict',
    'hung-after-completion',
    'never-registered',
    'runner-outdated',
    'version-skew',
    'failed-runners-hold-capacity',
    'stuck-terminating',
    'runner-crash-loop',
  ],
  network: [
    'node-not-ready',
    'cni-restart',
    'api-server-gap',
    'dns-gap',
    'eviction-or-pressure',
    'node-removed',
    'many-runners-same-window',
    'no-cluster-evidence',
  ],
  'pull-secrets': [
    'secret-match',
    'secret-drift',
    'secret-missing',
    'secret-wrong-type',
    'secret-not-referenced',
    'registry-not-covered',
  ],
  contract: [
    'min-above-max',
    'envelope-mismatch',
    'limits-missing',
    'toleration-missing',
    'required-volume-missing',
    'name-too-long',
    'duplicate-scale-set',
    'eventual-with-warm-runners',
    'image-unpinned',
    'pull-secret-unnamed',
    'grace-period-too-short',
    'trap-missing',
    // docs/contracts/additions.md
    'diag-not-on-stdout',
  ],
  capacity: ['fits', 'fits-not-simultaneously', 'impossible-single-pod', 'slots-bound'],
  preflight: ['ready', 'in-flight', 'wedged', 'unknown'],
  nodes: [
    'never-starts-pods',
    'bootstrap-loop',
    'repeated-deaths',
    'cgroup-leak',
    'file-table-near-limit',
    'not-ready',
  ],
  auth: [
    'pat-credential',
    'rate-budget-low',
    'rate-limited',
    'credential-refused',
    'credential-conflict',
    'secret-missing',
  ],
  drift: ['image-behind-declared', 'mixed-versions', 'fix-not-released'],
  cache: ['env-missing', 'secret-missing', 'service-unready', 'unreachable', 'name-mismatch', 'key-untrusted'],
  trust: ['ca-bundle-unset', 'ca-bundle-unreadable', 'trust-not-placement'],
  gitlab: [
    'nested-resource-table',
    'pod-spec-containers',
    'pod-spec-flag-missing',
    'kubernetes-table-array',
    'unknown-key',
    'syntax',
    'token-secret-missing',
    'token-owner-role',
    // Beyond the contract: it has no class for what GitLab's list of runners shows.
    'runner-not-serving',
  ],
}

const findings = (audit: string) =>
  KNOWN_FLEETS.flatMap(({ name, expected }) =>
    expected
      .filter((one) => one.audit === audit)
      .map(({ mustReport, maxSeverity }) => ({ name, mustReport, maxSeverity })),
  )

describe.each(Object.entries(CONTRACT))('the fleets for %s', (audit, classes) => {
  it('cover every class of the contract, and no other', () => {
    const own = AUDITS.find(({ id }) => id === audit)?.classes.map((one) => one.class) ?? []
    expect(own.toSorted()).toEqual(classes.toSorted())
  })

  it.each(classes)('have one in which %s is found', (name) => {
    expect(findings(audit).some(({ mustReport }) => mustReport?.some((one) => one.class === name))).toBe(true)
  })

  it('have two without findings, one of them with alarming symptoms', () => {
    const healthy = findings(audit).filter(({ maxSeverity }) => maxSeverity === 'info')
    expect(healthy.length).toBeGreaterThanOrEqual(2)
    expect(healthy.some(({ name }) => name.includes('scary'))).toBe(true)
  })
})
