import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { thePod, upper } from '#/core/why/wording.ts'

const DENIED = /\b40[134]\b|unauthori[sz]ed|forbidden|bad credentials|not authorized|permission|registration/i

export const registrationDenied: Cause = {
  id: 'registration-denied',
  kind: 'never-started',
  meaning: 'GitHub refused to register the runner: credentials, permissions, installation',
  distinguishedBy:
    'The refusal names a URL and no rate limit. A spent budget is api-rate-limited; a registration that worked once and is gone is runner-deregistered.',
  settledBy: ['logs', 'kubernetes/ephemeralrunners'],
  weigh: (d) => [
    ...supports(0.9, d.subjectClues('not-authorized')),
    ...supports(0.9, d.subjectClues('registration-refused')),
    ...supports(0.6, d.ran.length === 0 ? d.fleetClues('registration-refused') : []),
    ...supports(0.8, d.subjectClues('clock-skew')),
    ...supports(WEIGHT.medium, d.subjectClues('message-poll-refused')),
    ...supports(
      0.75,
      d.ephemeralRunner !== null &&
        DENIED.test(`${d.ephemeralRunner.reason} ${d.ephemeralRunner.message}`) &&
        !/rate limit|quota/i.test(d.ephemeralRunner.message ?? '')
        ? d.recordFact
        : null,
    ),
    ...contradicts(d.working.had),
    // GitHub answers a spent budget with 403 too, and what fails after it fails because of it.
    ...contradicts(d.subjectClues('registration-rate-limited')),
    ...contradicts(d.kind === 'controller' ? d.ending.facts : []),
    ...contradicts(d.subjectClues('runner-deregistered', 'session-conflict', 'runner-version-refused')),
  ],
  sentence: (d) =>
    d.subjectClues('clock-skew').length > 0
      ? `GitHub refused ${thePod(d)}: its clock is off by more than five minutes.`
      : `${upper(thePod(d))} never registered: ${d.kind === 'manager' ? 'GitLab refused its token' : 'GitHub refused its credential'}.`,
  next: (d) => (d.kind === 'manager' ? GITLAB : adviseGitHub(d)),
}

const GITLAB = [
  'Make a runner in GitLab and give the manager its authentication token (glrt-…): GitLab no longer takes registration tokens where they are switched off, which it answers with 410 (signalbox audit gitlab compares the tokens).',
]

function adviseGitHub(d: Dossier): readonly string[] {
  return d.subjectClues('clock-skew').length > 0
    ? [
        `Set the clock of ${d.subject.node ?? 'the node'} (chrony, NTP). A microVM that was paused needs its clock set on resume.`,
      ]
    : [
        'Check the App or token of the scale set: installed on this organisation, with administration or self-hosted runners write, secret not expired (signalbox doctor checks them).',
      ]
}
