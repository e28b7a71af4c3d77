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
    'Reads what builds say of certificates, in the logs of runners and of jobs, and looks whether SSL_CERT_FILE, NIX_SSL_CERT_FILE or NODE_EXTRA_CA_CERTS of the container runner point to a file that can be there. A build that got as far as a certificate was placed and ran, so the advice is never to move it. What images, listeners or the kubelet do with certificates is another matter, and so is a job that succeeded in spite of what it wrote.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'variables and volumes of the runners' },
    { source: 'kubernetes/pods', weight: 'needed', tells: 'where a runner runs' },
    { source: 'kubernetes/ephemeralrunners', weight: 'useful', tells: 'whose log it is' },
    { source: 'kubernetes/secrets', weight: 'useful', tells: 'whether a bundle in a Secret is there (by its keys)' },
    { source: 'logs', weight: 'useful', tells: 'what runners say of certificates' },
    { source: 'github/logs', weight: 'useful', tells: 'what jobs say of certificates' },
    { source: 'github/jobs', weight: 'useful', tells: 'which runner a job was on, and how it ended' },
    { source: 'probe', weight: 'useful', tells: 'whether the bundle can be read inside' },
  ],
  mentions: [...TLS_MENTIONS, ...BUILD_MENTIONS],
  classes: [
    {
      class: 'ca-bundle-unset',
      severity: 'warning',
      meaning: 'builds meet a certificate of an authority that they do not know, and no CA bundle is set for them',
      next: 'Mount the bundle and set SSL_CERT_FILE, NIX_SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, inside of the derivation too.',
    },
    {
      class: 'ca-bundle-unreadable',
      severity: 'warning',
      meaning: 'a variable names a CA bundle that is not there or cannot be read',
      next: 'Mount it where the variable says, readable for the user of the runner.',
    },
    {
      class: 'trust-not-placement',
      severity: 'warning',
      meaning: 'a build on a runner that is placed and runs fails for trust: where it runs changes nothing',
      next: "Look at the certificates that the build sees, then at the image's own store.",
    },
  ],
  applies: ({ sets }) => sets.length > 0,
  examine: (fleet, question) => {
    const findSecret = secretFinder(fleet)
    const complaints = Map.groupBy(
      buildLogs(fleet).flatMap((log) => tlsComplaint(log) ?? []),
      ({ log }) => log.set,
    )
    const told = askedSets(fleet, question).flatMap((set) => {
      const given = { fleet, set, findSecret, complaints: complaints.get(set) ?? [] }
      return [unsetFinding, unreadableFinding, placedFindings].flatMap((judge) => judge(given))
    })
    return [...told, ...unanswered(fleet.snapshot.probes)]
  },
}
