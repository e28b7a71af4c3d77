import { createBundle } from '#/adapters/bundle/create-bundle.ts'
import { decodeText } from '#/adapters/bundle/decode-text.ts'
import { BUNDLE_LIMITS } from '#/adapters/bundle/open-bundle.ts'
import { CAUSES } from '#/causes/index.ts'
import { parseMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath } from '#/core/evidence/bundle-path.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { judgeBundle, buildRules } from '#/runtime/why/judge-bundle.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'
import { SIGNATURES } from '#/signatures/index.ts'
import type { Files } from '#test/bundles/mutate-files.ts'
import type { Mutant } from '#test/bundles/mutate.ts'

const rules = buildRules(SIGNATURES)

export type Outcome =
  | { readonly kind: 'judged'; readonly results: readonly JudgedSubject[] }
  /** A message for the person in front of it. */
  | { readonly kind: 'refused'; readonly why: string }

/** What the program answers, read from memory. Unchanged files are read once, in `whole`. */
export async function judgeMutant({ files, touched }: Mutant, whole: Bundle): Promise<Outcome> {
  const bundle = openFiles(files)
  if ('why' in bundle) return bundle
  // What meta.json says counts for every source.
  return judgeOpened(touched.has(bundlePath.meta) ? bundle : withReadings(whole, bundle, touched))
}

export async function judgeFiles(files: Files): Promise<Outcome> {
  const bundle = openFiles(files)
  return 'why' in bundle ? bundle : judgeOpened(bundle)
}

/** A bundle of files in memory. */
export function openFiles(files: Files): Bundle | Extract<Outcome, { kind: 'refused' }> {
  const bytes = files.get(bundlePath.meta)
  if (bytes === undefined) return { kind: 'refused', why: 'it has no meta.json' }
  const reading = parseMeta(decodeText(bytes))
  if (reading.kind === 'unreadable') return { kind: 'refused', why: `meta.json: ${reading.why}` }
  return createBundle({
    files: {
      sizes: new Map([...files].map(([path, content]) => [path, content.length])),
      async *chunks(path) {
        yield files.get(path) ?? new Uint8Array()
      },
      close: async () => {},
    },
    meta: reading.meta,
    limits: BUNDLE_LIMITS,
    signal: new AbortController().signal,
  })
}

export async function judgeOpened(bundle: Bundle): Promise<Outcome> {
  const findings = await judgeBundle(bundle, null, { rules, causes: CAUSES })
  if (findings.kind === 'no-subject') return { kind: 'refused', why: 'the bundle knows nothing of that subject' }
  return { kind: 'judged', results: findings.results }
}

function withReadings(whole: Bundle, bundle: Bundle, touched: ReadonlySet<string>): Bundle {
  const of = (...paths: readonly string[]): Bundle => (paths.some((path) => touched.has(path)) ? bundle : whole)
  const ofFolder = (folder: string): Bundle => ([...touched].some((path) => path.startsWith(folder)) ? bundle : whole)
  return {
    ...bundle,
    list: (resource) => of(bundlePath.resource(resource)).list(resource),
    auditLog: () => of(bundlePath.audit).auditLog(),
    log: (name) => of(bundlePath.log(name)).log(name),
    journal: (node, window) => of(bundlePath.journalJson(node), bundlePath.journalText(node)).journal(node, window),
    cgroup: (name) => ofFolder(bundlePath.cgroup(name)).cgroup(name),
    hostFile: (host, name) => of(bundlePath.host(host, name)).hostFile(host, name),
    githubJob: (id) => of(bundlePath.githubJob(id)).githubJob(id),
    githubAnnotations: (id) => of(bundlePath.githubAnnotations(id)).githubAnnotations(id),
    githubLog: (id) => of(bundlePath.githubLog(id)).githubLog(id),
    githubQueuedJobs: () => of(bundlePath.githubQueuedJobs).githubQueuedJobs(),
    githubRateLimit: () => of(bundlePath.githubRateLimit).githubRateLimit(),
  }
}
