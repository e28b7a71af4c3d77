import { cacheSceneOf } from './cache-scene.ts'
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

/** One source that is not read leaves the same thing open for many sets. */
function mergeBlind(findings: readonly Finding[]): readonly Finding[] {
  const [blind, told] = [findings.filter(isBlindFinding), findings.filter((one) => !isBlindFinding(one))]
  const merged = [...Map.groupBy(blind, ({ subject }) => subject.name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const evidence = [first, ...more].flatMap((one) => one.evidence).slice(0, MOST_EVIDENCE)
    return [Object.assign({}, first, { evidence })]
  })
  return [...told, ...merged]
}

export const cache: Audit = {
  id: 'cache',
  asks: 'can the runners reach their build cache?',
  about:
    'Looks at what the container runner of each scale set is told of the cache: the variables that the fleet file declares, else those of Attic, Cachix, sccache, Bazel, Turborepo, Nix and of the Actions cache. Then at the Secrets from which they come, at the Service behind their address, and at what builds say of it. A variable that may come from a ConfigMap is unknown, not missing. Whether the cache answers is told by builds or by --probe, never guessed.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'what runners are told of the cache' },
    { source: 'kubernetes/secrets', weight: 'needed', tells: 'whether the Secrets that they name are there' },
    { source: 'kubernetes/services', weight: 'useful', tells: 'the Service behind the address' },
    { source: 'kubernetes/endpointslices', weight: 'useful', tells: 'whether anything is behind the Service' },
    { source: 'kubernetes/pods', weight: 'useful', tells: 'runners that wait for a Secret' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', tells: 'whose log it is' },
    { source: 'kubernetes/events', weight: 'useful', tells: 'which Secret a pod waits for' },
    { source: 'logs', weight: 'useful', tells: 'what runners say of the cache' },
    { source: 'github/logs', weight: 'useful', tells: 'what jobs say of the cache' },
    { source: 'github/jobs', weight: 'useful', tells: 'which runner a job was on, and how it ended' },
    { source: 'probe', weight: 'useful', tells: 'whether the cache answers, asked from inside' },
    { source: 'fleet', weight: 'useful', tells: 'what is declared of the cache' },
  ],
  mentions: [...REACH_MENTIONS, ...BUILD_MENTIONS],
  classes: [
    {
      class: 'env-missing',
      severity: 'warning',
      meaning: 'the runners of a set lack a variable by which builds find the cache',
      next: 'Add it to the template of the set; builds go on without the cache and nobody notices but by the time they take.',
    },
    {
      class: 'secret-missing',
      severity: 'warning',
      meaning: 'a Secret or a key that the cache needs is not there; critical where a pod fails for it',
      next: "Create it in the runners' own namespace.",
    },
    {
      class: 'service-unready',
      severity: 'warning',
      meaning: 'the Service of the cache is not there, or nothing behind it is ready',
      next: 'Look at the pods behind the Service.',
    },
    {
      class: 'unreachable',
      severity: 'warning',
      meaning: 'builds, or a pod that is made like a runner, cannot connect to the cache',
      next: 'Look at the Service, at network policies and at the name.',
    },
    {
      class: 'name-mismatch',
      severity: 'warning',
      meaning: 'runners use another cache name than the declared one',
      next: 'Use one name for pushing and for reading.',
    },
    {
      class: 'key-untrusted',
      severity: 'warning',
      meaning: 'a public key that signs what is in the cache is not trusted by the builds of a set',
      next: 'Add it to trusted-public-keys; what is signed by an unknown key is thrown away and built again.',
    },
  ],
  applies: (fleet, question) =>
    fleet.declared.cache !== undefined ||
    cacheSceneOf(fleet, question).users.some(({ variables }) => variables.length > 0),
  examine: (fleet, question) => {
    const scene = cacheSceneOf(fleet, question)
    return mergeBlind([
      ...secretFindings(scene),
      ...envFindings(scene),
      ...serviceFindings(scene),
      ...unreachableFindings(scene),
      ...nameFindings(scene),
      ...keyFindings(scene),
      ...unanswered(fleet.snapshot.probes),
    ])
  },
}
