import { isBehind, isFixUnreleased, isOfComponent } from './release.ts'
import type { RunningImage } from './running-images.ts'
import { runningImages } from './running-images.ts'
import type { Audit } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'

/** ARC's controller and its listeners are one image: two versions of it at once never last on purpose. */
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
    hint: `roll ${by.kind} ${by.name} out with ${release.component}:${release.declared}; signalbox preflight says whether a rollout may start`,
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
      hint: `bring all of ${repository} to one version; where a rollout is under way, wait for it (signalbox preflight --wait 10m)`,
      fields: { versions: [...versions.keys()] },
    },
  ]
}

export const drift: Audit = {
  id: 'drift',
  asks: 'is a known fix not running yet?',
  about:
    'Compares the images that run with the releases that the fleet file declares, and these with the release that holds a known fix. Images are matched by their repository, versions by number; a tag without a number (latest, a canary) compares with nothing unless the fleet file says that it holds the fix.',
  reads: [
    { source: 'kubernetes/pods', weight: 'needed', tells: 'what runs' },
    { source: 'kubernetes/deployments', weight: 'needed', tells: "the controller's image" },
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'what the next runners will be' },
    { source: 'kubernetes/autoscalinglisteners', weight: 'needed', tells: "the listeners' image" },
    { source: 'fleet', weight: 'useful', tells: 'which releases are declared, and in which a fix is' },
  ],
  classes: [
    {
      class: 'image-behind-declared',
      severity: 'warning',
      meaning: 'what runs is older than what is declared',
      next: 'Roll the declared release out.',
    },
    {
      class: 'mixed-versions',
      severity: 'warning',
      meaning: 'one component runs in several versions at once',
      next: 'Bring all of it to one version, or wait for the rollout that is under way.',
    },
    {
      class: 'fix-not-released',
      severity: 'warning',
      meaning: 'the declared release is older than the one that holds the fix',
      next: 'Declare the release that holds the fix.',
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
