import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { BundleFile } from '#/ports/bundle.ts'
import type { Means } from '#/runtime/collect/request/request.ts'

/** What somebody gave in files, as it was given. */
export function* givenFiles({ request: { fleet }, answers }: Means): Generator<BundleFile> {
  const { declared, gitlabConfig, gitlabRunners } = fleet
  if (declared !== null) {
    answers.looked('fleet')
    yield { path: bundlePath.fleet, content: declared.text }
  }
  if (gitlabConfig !== null) {
    answers.looked('gitlab/config')
    yield { path: bundlePath.gitlabConfig, content: gitlabConfig }
  }
  if (gitlabRunners !== null) {
    answers.looked('gitlab/runners')
    yield { path: bundlePath.gitlabRunners, content: gitlabRunners }
  }
}
