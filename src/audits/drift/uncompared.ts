import { compareWithDeclared, compareWithFix, isOfComponent } from './release.ts'
import type { RunningImage } from './running-images.ts'
import { BLIND_CLASS } from '#/core/audit/finding.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { DeclaredRelease } from '#/core/fleet-file/fleet-file.ts'
import { parseImage } from '#/core/kubernetes/image-name.ts'
import { isMovingTag } from '#/core/kubernetes/tag-version.ts'

const MOST_NAMED = 10

/** What cannot be ordered is unknown. Only the registry knows when a tag or digest was built, and it was not asked. */
export function uncompared(images: readonly RunningImage[], release: DeclaredRelease): readonly Finding[] {
  const { component, declared, fixedIn } = release
  const running = images.filter(
    ({ image, repository }) => isOfComponent(repository, release) && compareWithDeclared(image, release) === 'unknown',
  )
  const lines = [
    ...[...Map.groupBy(running, ({ image }) => image)].map(
      ([image, own]) =>
        `${image} runs (${own.map(({ by }) => `${by.kind} ${by.name}`).join(', ')}), ${declared} is declared: ${describeWhy(image)}`,
    ),
    ...(compareWithFix(release) === 'unknown'
      ? [`${declared} is declared and the fix is in ${fixedIn}: the two tags have no order`]
      : []),
  ]
  if (lines.length === 0) return []
  const more = lines.length > MOST_NAMED ? [`and ${lines.length - MOST_NAMED} more images`] : []
  return [
    {
      class: BLIND_CLASS,
      severity: 'warning',
      subject: { kind: 'Source', name: `registry/${component}` },
      evidence: [...lines.slice(0, MOST_NAMED), ...more],
      hint: `use tags with a version or a date, or list what contains the declared release under contains of ${component} in the fleet file; until then it is unknown whether the fix runs`,
    },
  ]
}

function describeWhy(image: string): string {
  const { tag, digest } = parseImage(image)
  if (tag === null && digest !== null) return 'a digest alone has no order'
  return isMovingTag(tag) ? 'such a tag is moved to newer builds, so it can be any of them' : 'the two have no order'
}
