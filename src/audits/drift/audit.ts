import { mixed } from './mixed-versions.ts'
import { compareWithDeclared, compareWithFix, isDeclaredToContain, isOfComponent } from './release.ts'
import { uncompared } from './uncompared.ts'
import type { RunningImage } from './running-images.ts'
import { runningImages } from './running-images.ts'
import { askedSets } from '#/core/audit/asked-sets.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { UNRELEASED } from '#/core/fleet-file/fleet-file.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'

/** ARC's controller and listeners use one image: two versions of it at once are never intended to last. */
const ARC_IMAGE = /\/gha-runner-scale-set-controller$/

function behind(images: readonly RunningImage[], release: DeclaredRelease): readonly Finding[] {
  const old = images.filter(
    ({ image, repository }) => isOfComponent(repository, release) && compareWithDeclared(image, release) === 'older',
  )
  return old.map(({ image, by }) => ({
    class: 'image-behind-declared',
    severity: 'warning',
    subject: by,
    evidence: [
      `${image} runs, ${release.declared} is declared`,
      ...(release.issue === undefined ? [] : [`the reason for the release: ${release.issue}`]),
    ],
    hint: `roll out ${by.kind} ${by.name} with ${release.component}:${release.declared}; signalbox preflight shows whether a rollout may start`,
    fields: { component: release.component, running: parseImage(image).tag, declared: release.declared },
  }))
}

function unreleased(images: readonly RunningImage[], release: DeclaredRelease): readonly Finding[] {
  const { component, declared, fixedIn, issue } = release
  const isUnreleased = fixedIn === UNRELEASED
  const isMissing =
    declared === undefined && isUnreleased ? !runsOnlyWithFix(images, release) : compareWithFix(release) === 'older'
  if (!isMissing) return []
  return [
    {
      class: 'fix-not-released',
      severity: 'warning',
      subject: { kind: 'Image', name: component },
      evidence: [
        isUnreleased
          ? `no release contains the fix yet${declared === undefined ? '' : `; ${declared} is declared`}`
          : `${declared} is declared, the fix is in ${fixedIn}`,
        ...(issue === undefined ? [] : [`what it fixes: ${issue}`]),
      ],
      hint: isUnreleased
        ? `when a release has the fix, put it into fixedIn of ${component} in the fleet file; to have the fix before, run a build of your own and list it under contains`
        : `declare ${component}:${fixedIn} in the fleet file and roll it out`,
      fields: { component, declared: declared ?? null, fixedIn: isUnreleased ? null : fixedIn },
    },
  ]
}

function runsOnlyWithFix(images: readonly RunningImage[], release: DeclaredRelease): boolean {
  const own = images.filter(({ repository }) => isOfComponent(repository, release))
  return own.length > 0 && own.every(({ image }) => isDeclaredToContain(image, release))
}

/** Without those of other lanes. What no set makes (the controller, listeners) belongs to every lane. */
function askedImages(fleet: Fleet, question: Question, images: readonly RunningImage[]): readonly RunningImage[] {
  if (question.labels.length + question.scaleSets.length === 0) return images
  const asked = new Set(askedSets(fleet, question).map(({ namespace, name }) => `${namespace}/${name}`))
  return images.filter(({ by }) => by.kind !== 'AutoscalingRunnerSet' || asked.has(`${by.namespace}/${by.name}`))
}

export const drift: Audit = {
  id: 'drift',
  asks: 'is a known fix not running yet?',
  about:
    'Compares running images with the releases that the fleet file declares, and those with the release that contains a known fix. Images are matched by repository. Tags are ordered by version (a leading `v`, a variant such as `-ubuntu` and a rebuild such as `-7` make no older version; `-rc1` does) or by date (`20261102`, `2026-11-02`, `2026.11.2`, also behind a name such as `nightly-`). What cannot be ordered (latest, a commit, a digest that is not the declared one) is reported as `blind`, never as up to date, unless `contains` in the fleet file lists it. `fixedIn: unreleased` declares a fix that is in no release yet.',
  reads: [
    { source: 'kubernetes/pods', weight: 'needed', gives: 'what runs' },
    { source: 'kubernetes/deployments', weight: 'needed', gives: "the controller's image" },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'the image of the next runners' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', gives: "the listeners' image" },
    { source: 'fleet', weight: 'useful', gives: 'which releases are declared, and which contain a fix' },
  ],
  classes: [
    {
      class: 'image-behind-declared',
      severity: 'warning',
      meaning: 'what runs is older than what is declared',
      next: 'Roll out the declared release.',
    },
    {
      class: 'mixed-versions',
      severity: 'warning',
      meaning: 'one component runs in several versions at once',
      next: 'Bring all of it to one version, or wait for the running rollout.',
    },
    {
      class: 'fix-not-released',
      severity: 'warning',
      meaning: 'the declared release is older than the one that contains the fix, or no release contains it yet',
      next: 'Declare the release that contains the fix; without one, run a build that has it and list it under contains.',
    },
  ],
  applies: () => true,
  examine: (fleet, question) => {
    const images = runningImages(fleet)
    const asked = askedImages(fleet, question, images)
    const releases = fleet.declared.releases ?? []
    const repositories = Map.groupBy(images, ({ repository }) => repository)
    const watched = [...repositories].filter(
      ([repository]) => ARC_IMAGE.test(repository) || releases.some((release) => isOfComponent(repository, release)),
    )
    return [
      ...releases.flatMap((release) => behind(asked, release)),
      ...releases.flatMap((release) => unreleased(images, release)),
      ...watched.flatMap(([repository, own]) => mixed(repository, own)),
      ...releases.flatMap((release) => uncompared(asked, release)),
    ]
  },
  remarks: (fleet) => {
    const images = runningImages(fleet)
    const unmatched = (fleet.declared.releases ?? [])
      .filter((release) => !images.some(({ repository }) => isOfComponent(repository, release)))
      .map(({ component }) => component)
    return new Map(
      unmatched.length === 0
        ? []
        : [['fleet', `no image of ${unmatched.join(', ')} was seen, so nothing was compared`]],
    )
  },
}
