import type { RunningImage } from './running-images.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'
import { isMovingTag, versionKey } from '#/core/kubernetes/tag-version.ts'

/** One component in several versions. Only versions that differ for certain count: `latest` may be any of them. */
export function mixed(repository: string, images: readonly RunningImage[]): readonly Finding[] {
  const tags = tagsByDigest(images)
  const versions = Map.groupBy(images, ({ image }) => knownVersion(image, tags))
  versions.delete(null)
  if (versions.size < 2) return []
  const named = [...versions.values()].map((own) => ({ name: printVersion(own[0]), own }))
  return [
    {
      class: 'mixed-versions',
      severity: 'warning',
      subject: { kind: 'Image', name: repository },
      evidence: named.map(
        ({ name, own }) =>
          `${name}: ${own
            .slice(0, SHOWN)
            .map(({ by }) => `${by.kind} ${by.namespace ?? ''}/${by.name}`)
            .join(', ')}${own.length > SHOWN ? ` and ${own.length - SHOWN} more` : ''}`,
      ),
      hint: `bring all of ${repository} to one version; if a rollout is running, wait for it (signalbox preflight --wait 10m)`,
      fields: { versions: named.map(({ name }) => name) },
    },
  ]
}

const SHOWN = 5

/** A reference by digest alone has the version of one with the same digest and a tag. */
function tagsByDigest(images: readonly RunningImage[]): ReadonlyMap<string, string> {
  return new Map(
    images.flatMap(({ image }) => {
      const { tag, digest } = parseImage(image)
      return tag === null || digest === null ? [] : [[digest, tag] as const]
    }),
  )
}

function knownVersion(image: string, tags: ReadonlyMap<string, string>): string | null {
  const { tag, digest } = parseImage(image)
  const known = tag ?? (digest === null ? null : (tags.get(digest) ?? null))
  if (known === null || isMovingTag(known)) return null
  return versionKey(known) ?? known
}

function printVersion(first: RunningImage | undefined): string {
  const { tag, digest } = parseImage(first?.image ?? '')
  return tag ?? digest ?? 'latest'
}
