import { buildCacheView } from './view.ts'
import { envFindings } from './env-findings.ts'
import { keyFindings } from './key-findings.ts'
import { nameFindings } from './name-findings.ts'
import { REACH_MENTIONS, serviceFindings, unreachableFindings } from './reach-findings.ts'
import { secretFindings } from './secret-findings.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { BUILD_MENTIONS } from '#/core/fleet/build-logs.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { unanswered } from '#/core/audit/unanswered-probes.ts'
import { isBlindFinding } from '#/core/audit/run-audit.ts'

const MOST_EVIDENCE = 20

/** One unread source leaves the same question open for many sets: report it once. */
function mergeBlind(findings: readonly Finding[]): readonly Finding[] {
  const [blind, others] = [findings.filter(isBlindFinding), findings.filter((one) => !isBlindFinding(one))]
  const merged = [...Map.groupBy(blind, ({ subject }) => subject.name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const evidence = [first, ...more].flatMap((one) => one.evidence).slice(0, MOST_EVIDENCE)
    return [Object.assign({}, first, { evidence })]
  })
  return [...others, ...merged]
}

export const cache: Audit = {
  id: 'cache',
  asks: 'can the runners reach their build cache?',
  about:
    'Checks the cache variables of the runner container of each scale set: those that the fleet file declares, else those of Attic, Cachix, sccache, Bazel, Turborepo, Nix and the Actions cache. Then the Secrets that hold them, the Service behind their address, and cache errors in build logs. A variable that may come from a ConfigMap is unknown, not missing. Only builds or --probe show whether the cache answers; it is never guessed.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'the cache variables of runners' },
    { source: 'kubernetes/secrets', weight: 'needed', gives: 'whether the Secrets that they name exist' },
    { source: 'kubernetes/services', weight: 'useful', gives: 'the Service behind the address' },
    { source: 'kubernetes/endpointslices', weight: 'useful', gives: 'whether anything is behind the Service' },
    { source: 'kubernetes/pods', weight: 'useful', gives: 'runners that wait for a Secret' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'whose log it is' },
    { source: 'kubernetes/events', weight: 'useful', gives: 'which Secret a pod waits for' },
    { source: 'logs', weight: 'useful', gives: 'cache errors of runners' },
    { source: 'github/logs', weight: 'useful', gives: 'cache errors of jobs' },
    { source: 'github/jobs', weight: 'useful', gives: 'which runner a job ran on, and how it ended' },
    { source: 'probe', weight: 'useful', gives: 'whether the cache answers from inside the cluster' },
    { source: 'fleet', weight: 'useful', gives: 'the declared cache' },
  ],
  mentions: [...REACH_MENTIONS, ...BUILD_MENTIONS],
  classes: [
    {
      class: 'env-missing',
      severity: 'warning',
      meaning: 'the runners of a set lack a variable by which builds find the cache',
      next: "Add it to the set's template. Without it builds run slower, with no error.",
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a Secret or a key that the cache needs is missing; critical if a pod fails because of it',
      next: "Create it in the runners' own namespace.",
    },
    {
      class: 'service-unready',
      severity: 'warning',
      meaning: 'the Service of the cache has no ready endpoint, or the declared one does not exist',
      next: 'Check the pods behind the Service.',
    },
    {
      class: 'unreachable',
      severity: 'warning',
      meaning:
        'builds, or a probe pod, cannot connect to the cache, or its address names no Service or port that exists',
      next: 'Check the Service, the network policies and the host name.',
    },
    {
      class: 'name-mismatch',
      severity: 'warning',
      meaning: 'runners use a different cache name than the declared one',
      next: 'Push and read under one name.',
    },
    {
      class: 'key-untrusted',
      severity: 'warning',
      meaning: 'a public key that signs what is in the cache is not trusted by the builds of a set',
      next: 'Add it to trusted-public-keys. What an unknown key signed is discarded and built again.',
    },
  ],
  applies: (fleet, question) =>
    fleet.declared.cache !== undefined ||
    buildCacheView(fleet, question).users.some(({ variables }) => variables.length > 0),
  examine: (fleet, question) => {
    const view = buildCacheView(fleet, question)
    return mergeBlind([
      ...secretFindings(view),
      ...envFindings(view),
      ...serviceFindings(view),
      ...unreachableFindings(view),
      ...nameFindings(view),
      ...keyFindings(view),
      ...unanswered(fleet.snapshot.probes),
    ])
  },
}
