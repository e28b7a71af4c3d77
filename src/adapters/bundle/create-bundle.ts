import type { BundleMeta } from '#/core/evidence/bundle-meta.ts'
import { bundlePath, parseLogPath } from '#/core/evidence/bundle-path.ts'
import { answerFor } from '#/core/evidence/bundle-source.ts'
import type { Bundle, BundleLimits } from '#/ports/bundle.ts'
import type { BundleFiles } from './bundle-files.ts'
import {
  isJobRow,
  isGitLabRunnerRow,
  isRunnerRow,
  parseObject,
  parseObjectLines,
  parseRows,
  parseText,
} from './parse-source.ts'
import { parseYaml } from './parse-yaml.ts'
import { readCgroup } from './read-cgroup.ts'
import { readJournal } from './read-journal.ts'
import { readList } from './read-list.ts'
import { createSourceReader } from './source-reader.ts'

/** Typed access to the sources of a bundle by their names in docs/contracts/bundle.md. */
export function createBundle(given: {
  readonly files: BundleFiles
  readonly meta: BundleMeta
  readonly limits: BundleLimits
  readonly signal: AbortSignal
}): Bundle {
  const { files, meta } = given
  const reader = createSourceReader(given)
  const { read, list } = reader
  return {
    meta,
    paths: reader.paths,
    coverage: (source) => {
      const answer = answerFor(meta.sources, source)
      return answer?.kind === 'looked' ? answer.coverage : null
    },

    list: (resource) => readList(reader, bundlePath.resource(resource), given.limits),
    stats: (node) => read(bundlePath.stats(node), parseObject),
    configz: (node) => read(bundlePath.configz(node), parseObject),
    auditLog: () => read(bundlePath.audit, parseObjectLines),

    logs: () => list('logs', parseLogPath),
    log: (name) => read(bundlePath.log(name), parseText),
    journals: () => list('journal', (path) => matchName(/^journal\/([^/]+)\.(?:jsonl|log)$/, path)),
    journal: (node, window) => readJournal(reader, node, window),
    cgroup: (name) => readCgroup(reader, name),
    processes: (namespace, pod) => read(bundlePath.processes(namespace, pod), parseText),
    hosts: () => list('host', (path) => matchName(/^host\/([^/]+)\//, path)),
    hostFile: (host, name) => read(bundlePath.host(host, name), parseText),

    githubJobs: () => list('github/jobs', (path) => toId(matchName(/^github\/jobs\/(\d+)\.json$/, path))),
    githubJob: (id) => read(bundlePath.githubJob(id), parseObject),
    githubRun: (id) => read(bundlePath.githubRun(id), parseObject),
    githubAnnotations: (id) => read(bundlePath.githubAnnotations(id), parseRows('annotations')),
    githubLog: (id) => read(bundlePath.githubLog(id), parseText),
    githubRunners: () => read(bundlePath.githubRunners, parseRows('runners', isRunnerRow)),
    githubQueuedJobs: () => read(bundlePath.githubQueuedJobs, parseRows('jobs', isJobRow)),
    githubRateLimit: () => read(bundlePath.githubRateLimit, parseObject),
    gitlabConfig: () => read(bundlePath.gitlabConfig, parseText),
    gitlabRunners: () => read(bundlePath.gitlabRunners, parseRows('runners', isGitLabRunnerRow)),
    gitlabTokenOwner: () => read(bundlePath.gitlabTokenOwner, parseObject),
    fleet: async () => parseYaml(await read(bundlePath.fleet, parseText)),

    [Symbol.asyncDispose]: () => files.close(),
  }
}

function matchName(pattern: RegExp, path: string): string | null {
  return pattern.exec(path)?.[1] ?? null
}

function toId(digits: string | null): number | null {
  const id = Number(digits ?? Number.NaN)
  return Number.isSafeInteger(id) ? id : null
}
