import { contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded } from '#/core/why/shared-facts.ts'
import { theJob, upper } from '#/core/why/wording.ts'

export const tlsTrust: Cause = {
  id: 'tls-trust',
  kind: 'not-a-death',
  meaning: 'a certificate was not trusted inside the build',
  distinguishedBy: 'The runner is scheduled and alive; a tool in the job rejects a certificate.',
  settledBy: ['github/logs', 'logs'],
  weigh: (d) =>
    [
      ...supports(0.9, d.subjectClues('certificate-not-trusted')),
      ...supports(0.3, d.working.github.failedStep),
      ...contradicts(concluded(d, 'success')),
      ...contradicts(d.working.github.lost),
    ].filter((point) => point.kind !== 'for' || d.subjectClues('certificate-not-trusted').length > 0),
  sentence: (d) => `${upper(theJob(d))} failed because a certificate was not trusted inside the build.`,
  next: () => [
    'Add the CA to the runner image (update-ca-certificates), and configure the tools that have their own store: NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, SSL_CERT_FILE.',
  ],
}
