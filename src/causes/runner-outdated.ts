import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { thePod, clueField, upper } from '#/core/why/wording.ts'

const OUTDATED_CODE = '7'

function refusedVersion(d: Dossier): string {
  const version = clueField(d, 'runner-version-refused', 'version')
  return version === null ? '' : ` ${version}`
}

export const runnerOutdated: Cause = {
  id: 'runner-outdated',
  kind: 'never-started',
  meaning: 'GitHub refuses this runner version',
  distinguishedBy: 'The refusal names the version. The container may exit with 0: run-helper.sh hides the code.',
  settledBy: ['logs', 'kubernetes/ephemeralrunners'],
  weigh: (d) => [
    ...supports(0.97, d.subjectClues('runner-version-refused')),
    ...supports(
      0.9,
      d.subjectClues('listener-exited').filter(({ text }) => /deprecated version/.test(text)),
    ),
    ...supports(
      0.9,
      d.ephemeralRunner !== null && /outdated/i.test(`${d.ephemeralRunner.phase} ${d.ephemeralRunner.reason}`)
        ? d.recordFact
        : null,
    ),
    ...supports(
      WEIGHT.medium,
      d.ending.facts.filter(({ fields }) => fields['code'] === OUTDATED_CODE),
    ),
    ...contradicts(d.working.had),
  ],
  sentence: (d) => `${upper(thePod(d))} never took a job: GitHub refuses its runner version${refusedVersion(d)}.`,
  next: () => [
    'Build the runner image on a current release of actions/runner, and roll out the scale set. GitHub refuses a version some months after its successor is out.',
  ],
}
