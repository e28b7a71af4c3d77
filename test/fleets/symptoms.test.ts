import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { KNOWN_BUNDLES } from '#test/bundles/known-bundles.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'
import { auditFolder, findAudit } from './audit-fleet.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

/** From a symptom (a heading of docs/troubleshooting.md) to the findings for a fleet in that state. */
const SYMPTOMS = [
  {
    sees: 'Jobs stay queued',
    fleet: 'fairness-saturated-014',
    audit: 'burst',
    says: ['shared-label-fairness-contention', 'declared-max-reached'],
    doesNotSay: ['listener-unhealthy', 'scheduler-resource-pressure'],
  },
  {
    sees: 'Jobs stay queued',
    fleet: 'pod-slots-012',
    audit: 'burst',
    says: ['pod-slot-pressure'],
    doesNotSay: ['declared-max-reached', 'scheduler-resource-pressure'],
  },
  {
    sees: 'Runner pods stay Pending',
    fleet: '0.14.2-runner-image-pull-401',
    audit: 'burst',
    says: ['image-pull-behind-pending'],
    doesNotSay: ['scheduler-resource-pressure', 'saturated', 'declared-max-reached'],
  },
  {
    sees: 'Runner pods stay Pending',
    fleet: 'scheduler-taints-015',
    audit: 'burst',
    says: ['scheduler-resource-pressure'],
    doesNotSay: ['image-pull-behind-pending', 'declared-max-reached'],
  },
  {
    sees: 'A listener fails with a rate limit',
    fleet: '0.14.2-listener-403-loop',
    audit: 'auth',
    says: ['rate-limited', 'pat-credential'],
    doesNotSay: [],
  },
  {
    sees: 'A listener fails with a rate limit',
    fleet: '0.14.2-listener-403-loop',
    audit: 'burst',
    says: ['listener-unhealthy'],
    doesNotSay: ['saturated', 'starved', 'declared-max-reached', 'quota-limit'],
  },
  {
    sees: 'GitHub refuses the credential',
    fleet: 'app-installation-suspended',
    audit: 'auth',
    says: ['credential-refused'],
    doesNotSay: ['rate-limited', 'pat-credential'],
  },
  {
    sees: 'A listener cannot pull its image',
    fleet: 'cold-pull-403-014',
    audit: 'pull-secrets',
    says: ['registry-not-covered'],
    doesNotSay: [],
  },
  {
    sees: 'A runner lost communication in the middle of a job',
    fleet: 'badger-0.11.0-handoff',
    audit: 'runtime',
    says: ['cancelled-job-handoff'],
    doesNotSay: ['assigned-job-at-risk'],
  },
  {
    sees: 'Runner pods stay Pending',
    fleet: 'burst-hpa-at-max',
    audit: 'burst',
    says: ['declared-max-reached'],
    doesNotSay: ['image-pull-behind-pending'],
  },
  {
    sees: 'A runner lost communication in the middle of a job',
    fleet: '0.14.2-wedged-values-change',
    audit: 'runtime',
    says: ['rollover-wedged', 'stale-idle-listener-blocker'],
    doesNotSay: ['offline-no-job-cleanup-candidate'],
  },
  {
    sees: 'A rollout does not complete',
    fleet: '0.14.2-wedged-values-change',
    audit: 'preflight',
    says: ['wedged', 'in-flight'],
    doesNotSay: ['ready'],
  },
  {
    sees: 'A job fails with ENFILE',
    fleet: 'nodes-lying-0.14.2',
    audit: 'nodes',
    says: ['file-table-near-limit'],
    doesNotSay: [],
  },
  {
    sees: 'The build cache is never hit',
    fleet: 'cache-and-trust-0.15.0',
    audit: 'cache',
    says: ['env-missing', 'secret-missing', 'service-unready', 'name-mismatch'],
    doesNotSay: [],
  },
  {
    sees: 'TLS errors inside the build',
    fleet: 'cache-and-trust-0.15.0',
    audit: 'trust',
    says: ['ca-bundle-unset', 'trust-not-placement'],
    doesNotSay: [],
  },
  {
    sees: 'A GitLab runner does not register',
    fleet: 'gitlab-toml-0.12.1',
    audit: 'gitlab',
    says: ['token-secret-missing', 'token-owner-role'],
    doesNotSay: [],
  },
  {
    sees: 'GitLab Runner configuration',
    fleet: 'gitlab-toml-0.12.1',
    audit: 'gitlab',
    says: ['nested-resource-table', 'pod-spec-containers', 'unknown-key'],
    doesNotSay: ['syntax'],
  },
] as const

const page = readFileSync(path.resolve(import.meta.dirname, '..', '..', 'docs', 'troubleshooting.md'), 'utf8')

function fleetNamed(name: string) {
  const fleet = KNOWN_FLEETS.find((one) => one.name === name)
  if (fleet === undefined) throw new Error(`there is no fleet ${name}`)
  return fleet
}

describe('from the symptom to the answer', () => {
  it.each(SYMPTOMS)('$sees: $audit says $says of $fleet', async ({ sees, fleet, audit, says, doesNotSay }) => {
    const section = page.split(`\n## ${sees}\n`)[1]?.split('\n## ')[0]
    expect(section, `docs/troubleshooting.md has no section ${sees}`).toBeDefined()
    const { findings } = await auditFolder(fleetNamed(fleet).path, findAudit(audit))
    const classes: readonly string[] = findings.map((finding) => finding.class)
    expect(says.filter((name) => !classes.includes(name))).toEqual([])
    expect(doesNotSay.filter((name) => classes.includes(name))).toEqual([])
  })

  it.each([
    ['Runner pods are OOMKilled', 'oom-container'],
    ['A step dies with signal 9', 'oom-step'],
    ['A job fails with ENFILE', 'fd-exhausted'],
    ['Checkout fails before your code runs', 'workspace-unclean'],
  ])('%s: why names %s, without using cluster totals', async (sees, cause) => {
    expect(page).toContain(`\n## ${sees}\n`)
    const known = KNOWN_BUNDLES.find(({ expected }) => expected.cause === cause)
    if (known === undefined) throw new Error(`there is no bundle of ${cause}`)
    await using bundle = await openKnown(known.archive)
    const verdict = (await judgeKnown(bundle))?.verdict
    expect(verdict?.cause).toBe(cause)
    expect(verdict?.next.join(' ')).not.toMatch(/cluster has|node pool|total memory/i)
  })

  it.each(networkQuestions())(
    'A runner lost communication in the middle of a job: network reports %s in %s',
    async (runner, name, says) => {
      const { findings } = await auditFolder(fleetNamed(name).path, findAudit('network'), { runner })
      expect(findings.map((finding) => finding.class)).toContain(says)
    },
  )
})

/** Every class that the network audit must report in the fresh fleets. */
function networkQuestions(): (readonly [runner: string, fleet: string, says: string])[] {
  return KNOWN_FLEETS.filter(({ folder }) => folder === 'fresh').flatMap(({ name, expected }) =>
    expected.flatMap(({ audit, runner, mustReport }) =>
      audit === 'network' && runner !== undefined
        ? (mustReport ?? []).map((one) => [runner, name, one.class] as const)
        : [],
    ),
  )
}

describe('over all known fleets, the advice is never', { timeout: 300_000 }, () => {
  const reported = (async () => {
    const all: { readonly where: string; readonly finding: Finding; readonly others: readonly Finding[] }[] = []
    for (const { name, path: at } of KNOWN_FLEETS) {
      for (const audit of AUDITS.filter(({ id }) => id === 'burst' || id === 'runtime' || id === 'trust')) {
        const { findings } = await auditFolder(at, audit)
        all.push(...findings.map((finding) => ({ where: `${name} ${audit.id}`, finding, others: findings })))
      }
    }
    return all
  })()

  it('a higher maximum while another limiter applies', async () => {
    const raise = /\b(?:raise|increase) (?:its |the )?(?:maxRunners|maximum|declared max\w*|cap)\b/i
    const wrong = (await reported).filter(
      ({ finding }) => raise.test(finding.hint) && finding.class !== 'declared-max-reached',
    )
    expect(wrong.map(({ where, finding }) => `${where}: ${finding.class}: ${finding.hint}`)).toEqual([])
  })

  it('to remove a runner that has a job', async () => {
    const risky = (await reported).filter(({ finding }) => finding.class === 'assigned-job-at-risk')
    expect(risky.length).toBeGreaterThan(3)
    const wrong = risky.filter(({ finding }) => /kubectl[^;]* delete/.test(finding.hint))
    expect(wrong.map(({ where, finding }) => `${where}: ${finding.hint}`)).toEqual([])
  })

  it('another placement for a build with a certificate error', async () => {
    const trust = (await reported).filter(({ where }) => where.endsWith(' trust'))
    expect(trust.length).toBeGreaterThan(0)
    const elsewhere = /\b(?:add|change|set|move|use)\b[^.;]*(?:node ?selector|toleration|node pool|another node)/i
    const wrong = trust.filter(({ finding }) => elsewhere.test(finding.hint))
    expect(wrong.map(({ where, finding }) => `${where}: ${finding.hint}`)).toEqual([])
  })
})
