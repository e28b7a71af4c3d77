import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { CAUSES } from '#/causes/index.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { investigate, rulesOf } from '#/runtime/why/investigate.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'
import { SIGNATURES } from '#/signatures/index.ts'

const rules = rulesOf(SIGNATURES)

/** Every file is read once, however often a property asks. */
export async function openKnown(archive: string): Promise<Bundle> {
  const opening = await openBundle(archive, BUNDLE_LIMITS, new AbortController().signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  const { bundle } = opening
  return {
    ...bundle,
    list: remembered((resource) => bundle.list(resource)),
    audit: remembered(() => bundle.audit()),
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

function remembered<A extends readonly unknown[], R>(read: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  const known = new Map<string, Promise<R>>()
  return (...args) => {
    const key = JSON.stringify(args)
    const answer = known.get(key) ?? read(...args)
    known.set(key, answer)
    return answer
  }
}

/** The one subject of the bundle, or null where nothing in it can be told apart. */
export async function judgeKnown(bundle: Bundle): Promise<Investigation | null> {
  const findings = await investigate(bundle, null, { rules, causes: CAUSES })
  return findings.kind === 'found' ? (findings.results[0] ?? null) : null
}
