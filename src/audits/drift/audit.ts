import { isBehind, isFixUnreleased, isOfComponent } from './release.ts'
import type { RunningImage } from './running-images.ts'
import { runningImages } from './running-images.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'

/** ARC's controller and listeners use one image: two versions of it at once are never intended to last. */
const ARC_IMAGE = /\/gha-runner-scale-set-controller$/

function behind(images: readonly RunningImage[], release: DeclaredRelease): readonly Finding[] {
  const old = images.filter(({ image, repository }) => isOfComponent(repository, release) && isBehind(image, release))
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

function unreleased(release: DeclaredRelease): readonly Finding[] {
  if (!isFixUnreleased(release)) return []
  return [
    {
      class: 'fix-not-released',
      severity: 'warning',
      subject: { kind: 'Image', name: release.component },
      evidence: [
        `${release.declared} is declared, the fix is in ${release.fixedIn}`,
        ...(release.issue === undefined ? [] : [`what it fixes: ${release.issue}`]),
      ],
      hint: `declare ${release.component}:${release.fixedIn} in the fleet file and roll it out`,
      fields: { component: release.component, declared: release.declared, fixedIn: release.fixedIn },
    },
  ]
}

function mixed(repository: string, images: readonly RunningImage[]): readonly Finding[] {
  const versions = Map.groupBy(images, ({ image }) => parseImage(image).tag ?? parseImage(image).digest ?? 'latest')
  if (versions.size < 2) return []
  return [
    {
      class: 'mixed-versions',
      severity: 'warning',
      subject: { kind: 'Image', name: repository },
      evidence: [...versions].map(
        ([version, own]) =>
          `${version}: ${own
            .slice(0, 5)
            .map(({ by }) => `${by.kind} ${by.namespace ?? ''}/${by.name}`)
            .join(', ')}${own.length > 5 ? ` and ${own.length - 5} more` : ''}`,
      ),
      hint: `bring all of ${repository} to one version; if a rollout is running, wait for it (signalbox preflight --wait 10m)`,
      fields: { versions: [...versions.keys()] },
    },
  ]
}

export const drift: Audit = {
  id: 'drift',
  asks: 'is a known fix not running yet?',
  about:
    'Compares running images with the releases that the fleet file declares, and those with the release that contains a known fix. Images are matched by repository, versions by number. A tag without a number (latest, a canary) is not compared unless the fleet file says that it contains the fix.',
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
      meaning: 'the declared release is older than the one that contains the fix',
      next: 'Declare the release that contains the fix.',
    },
  ],
  applies: () => true,
  examine: (fleet) => {
    const images = runningImages(fleet)
    const releases = fleet.declared.releases ?? []
    const repositories = Map.groupBy(images, ({ repository }) => repository)
    const watched = [...repositories].filter(
      ([repository]) => ARC_IMAGE.test(repository) || releases.some((release) => isOfComponent(repository, release)),
    )
    return [
      ...releases.flatMap((release) => behind(images, release)),
      ...releases.flatMap(unreleased),
      ...watched.flatMap(([repository, own]) => mixed(repository, own)),
    ]
  },
}
