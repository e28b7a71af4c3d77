import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { CAUSES } from '#/causes/index.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { judgeBundle, buildRules } from '#/runtime/why/judge-bundle.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import { remembered } from '#test/bundles/remembered.ts'

const rules = buildRules(SIGNATURES)

/** Every file is read once, however often a property asks. */
export async function openKnown(archive: string): Promise<Bundle> {
  const opening = await openBundle(archive, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  const { bundle } = opening
  return {
    ...bundle,
    list: remembered((resource) => bundle.list(resource)),
    auditLog: remembered(() => bundle.auditLog()),
    log: remembered((name) => bundle.log(name)),
    journal: remembered((node, window) => bundle.journal(node, window)),
    cgroup: remembered((name) => bundle.cgroup(name)),
    hostFile: remembered((host, name) => bundle.hostFile(host, name)),
    githubJob: remembered((id) => bundle.githubJob(id)),
    githubAnnotations: remembered((id) => bundle.githubAnnotations(id)),
    githubLog: remembered((id) => bundle.githubLog(id)),
    githubQueuedJobs: remembered(() => bundle.githubQueuedJobs()),
    githubRateLimit: remembered(() => bundle.githubRateLimit()),
  }
}

/** The one subject of the bundle, or null if there is not exactly one. */
export async function judgeKnown(bundle: Bundle): Promise<JudgedSubject | null> {
  const findings = await judgeBundle(bundle, null, { rules, causes: CAUSES })
  return findings.kind === 'found' ? (findings.results[0] ?? null) : null
}
