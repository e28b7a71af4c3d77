import { TLS_MENTIONS, tlsComplaint } from './tls-lines.ts'
import { placedFindings, unreadableFinding, unsetFinding } from './trust-findings.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { BUILD_MENTIONS, buildLogs } from '#/core/fleet/build-logs.ts'
import { unanswered } from '#/core/audit/unanswered-probes.ts'
import { secretFinder } from '#/core/fleet/runner-env.ts'

export const trust: Audit = {
  id: 'trust',
  asks: 'do builds see the CA bundle?',
  about:
    'Reads certificate errors in the logs of runners and jobs, and checks whether SSL_CERT_FILE, NIX_SSL_CERT_FILE or NODE_EXTRA_CA_CERTS of the runner container point to a file that can exist. A build that reached a certificate check was already placed and running, so the advice is never to move it. Certificate problems of image pulls, listeners or the kubelet are not covered, and errors of jobs that succeeded do not count.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'variables and volumes of the runners' },
    { source: 'kubernetes/pods', weight: 'needed', gives: 'where a runner runs' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', gives: 'whose log it is' },
    { source: 'kubernetes/secrets', weight: 'useful', gives: 'whether a bundle in a Secret exists (by its keys)' },
    { source: 'logs', weight: 'useful', gives: 'certificate errors of runners' },
    { source: 'github/logs', weight: 'useful', gives: 'certificate errors of jobs' },
    { source: 'github/jobs', weight: 'useful', gives: 'which runner a job ran on, and how it ended' },
    { source: 'probe', weight: 'useful', gives: 'whether the bundle is readable in the container' },
  ],
  mentions: [...TLS_MENTIONS, ...BUILD_MENTIONS],
  classes: [
    {
      class: 'ca-bundle-unset',
      severity: 'warning',
      meaning: 'builds get a certificate from an unknown authority, and no CA bundle is set for them',
      next: 'Mount the bundle and set SSL_CERT_FILE, NIX_SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, also inside Nix derivations.',
    },
    {
      class: 'ca-bundle-unreadable',
      severity: 'warning',
      meaning: 'a variable names a CA bundle that is missing or cannot be read',
      next: "Mount it at the variable's path, readable for the runner's user.",
    },
    {
      class: 'trust-not-placement',
      severity: 'warning',
      meaning: 'a build on a running runner fails because of missing trust: moving it to other nodes changes nothing',
      next: "Check the certificates that the build uses, then the image's own store.",
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet, question) => {
    const findSecret = secretFinder(fleet)
    const complaints = Map.groupBy(
      buildLogs(fleet).flatMap((log) => tlsComplaint(log) ?? []),
      ({ log }) => log.set,
    )
    const findings = askedSets(fleet, question).flatMap((set) => {
      const given = { fleet, set, findSecret, complaints: complaints.get(set) ?? [] }
      return [unsetFinding, unreadableFinding, placedFindings].flatMap((judge) => judge(given))
    })
    return [...findings, ...unanswered(fleet.snapshot.probes)]
  },
}
