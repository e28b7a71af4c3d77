import { contradicts, limitedWhile, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { concluded } from '#/core/why/weighing/shared-facts.ts'
import { distrusted } from '#/core/why/failed-steps.ts'
import { theJob, upper } from '#/core/why/wording.ts'

export const tlsTrust: Cause = {
  id: 'tls-trust',
  kind: 'not-a-death',
  meaning: 'a certificate was not trusted inside the build',
  distinguishedBy: 'The runner is scheduled and alive; a tool in the job rejects a certificate.',
  settledBy: ['github/logs', 'logs'],
  weigh: (d) => {
    const said = distrusted(d)
    return [
      ...supports(0.9, said),
      ...supports(0.3, said.length > 0 ? d.working.github.failedStep : null),
      ...contradicts(concluded(d, 'success')),
      ...contradicts(d.working.github.lost),
      ...limitedWhile(d.job === null, 'it is not known which step printed it', { missing: ['github/jobs'], at: 0.8 }),
    ]
  },
  sentence: (d) => `${upper(theJob(d))} failed because a certificate was not trusted inside the build.`,
  next: () => [
    'Add the CA to the runner image (update-ca-certificates), and configure the tools that have their own store: NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, SSL_CERT_FILE, the Java trust store (cacerts).',
  ],
}
