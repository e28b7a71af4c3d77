import { WEIGHT, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { thePod, toldBy, upper } from '#/core/why/wording.ts'

const OUTDATED_CODE = '7'

function refusedVersion(d: Dossier): string {
  const version = toldBy(d, 'runner-version-refused', 'version')
  return version === null ? '' : ` ${version}`
}

export const runnerOutdated: Cause = {
  id: 'runner-outdated',
  kind: 'never-started',
  meaning: 'GitHub refuses this runner version',
  toldApart: 'The refusal names the version. The container may exit with 0: run-helper.sh hides the code.',
  settledBy: ['logs', 'kubernetes/ephemeralrunners'],
  weigh: (d) => [
    ...speaksFor(0.97, d.told('runner-version-refused')),
    ...speaksFor(
      0.9,
      d.told('listener-exited').filter(({ text }) => /deprecated version/.test(text)),
    ),
    ...speaksFor(
      0.9,
      d.ephemeralRunner !== null && /outdated/i.test(`${d.ephemeralRunner.phase} ${d.ephemeralRunner.reason}`)
        ? d.recordFact
        : null,
    ),
    ...speaksFor(
      WEIGHT.medium,
      d.ending.facts.filter(({ told }) => told['code'] === OUTDATED_CODE),
    ),
    ...speaksAgainst(d.working.had),
  ],
  sentence: (d) => `${upper(thePod(d))} never took a job: GitHub refuses its runner version${refusedVersion(d)}.`,
  next: () => [
    'Build the runner image on a current release of actions/runner, and roll out the scale set. GitHub refuses a version some months after its successor is out.',
  ],
}
