import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BUNDLE_RESOURCES } from '#/core/evidence/bundle-source.ts'
import type { BundleResource } from '#/core/evidence/bundle-source.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { signal } from '#test/contracts/bundle.ts'
import { BUNDLE_LIMITS, openBundle } from './open-bundle.ts'

const FOLDER = fileURLToPath(new URL(import.meta.resolve('#test/bundles/recordings/README.md'))).replace(
  /README\.md$/,
  '',
)
const NODE = 'runner-node-1'

async function open(name: string): Promise<Bundle> {
  const opening = await openBundle(`${FOLDER}${name}`, BUNDLE_LIMITS, signal)
  if (opening.kind === 'refused') throw new Error(opening.why)
  return opening.bundle
}

function isResource(name: string): name is BundleResource {
  return BUNDLE_RESOURCES.some((resource) => resource === name)
}

/** Everything that the bundle has for a source of its meta.json. */
async function askFor(bundle: Bundle, source: string): Promise<readonly Observed<unknown>[]> {
  const [, resource = ''] = /^kubernetes\/([a-z]+)$/.exec(source) ?? []
  if (isResource(resource)) return [await bundle.list(resource)]
  const jobs = bundle.githubJobs()
  const ids = jobs.kind === 'seen' ? jobs.value : []
  const { namespace = '', pod = '' } = bundle.meta.subject
  const readers: Readonly<Record<string, () => Promise<readonly Observed<unknown>[]>>> = {
    'kubernetes/audit': async () => [await bundle.auditLog()],
    'kubernetes/stats': async () => [await bundle.stats(NODE)],
    'kubernetes/configz': async () => [await bundle.configz(NODE)],
    [`kubernetes/stats/${NODE}`]: async () => [await bundle.stats(NODE)],
    [`kubernetes/configz/${NODE}`]: async () => [await bundle.configz(NODE)],
    journal: async () => [await bundle.journal(NODE, {})],
    cgroup: async () => [await bundle.cgroup({ namespace, pod, container: null })],
    logs: async () => {
      const logs = bundle.logs()
      return logs.kind === 'seen' ? await Promise.all(logs.value.map((log) => bundle.log(log))) : [logs]
    },
    'github/jobs': () => Promise.all(ids.map((id) => bundle.githubJob(id))),
    'github/annotations': () => Promise.all(ids.map((id) => bundle.githubAnnotations(id))),
    'github/logs': () => Promise.all(ids.map((id) => bundle.githubLog(id))),
    'github/runners': async () => [await bundle.githubRunners()],
    'github/queued-jobs': async () => [await bundle.githubQueuedJobs()],
    'github/rate-limit': async () => [await bundle.githubRateLimit()],
  }
  const read = readers[source]
  if (read === undefined) throw new Error(`this test does not know the source ${source}`)
  return await read()
}

describe.each(readdirSync(FOLDER).filter((name) => name !== 'README.md'))('the recording %s', (name) => {
  it('has every source as its meta.json says, whole and well-formed', async () => {
    await using bundle = await open(name)
    expect(bundle.meta.sources.size).toBeGreaterThan(20)
    for (const [source, answer] of bundle.meta.sources) {
      for (const observed of await askFor(bundle, source)) {
        const looked = observed.kind !== 'blind'
        expect({ source, looked }).toEqual({ source, looked: answer.kind === 'looked' })
        if (observed.kind === 'seen' && typeof observed.value === 'object') {
          expect(observed.value).not.toMatchObject({ gaps: [{}] })
        }
      }
    }
  })
})

describe('the recording of a container that the kernel killed', () => {
  it("has the kernel's own line at the time of the death", async () => {
    await using bundle = await open('oom-container')
    const window = { since: Date.UTC(2026, 10, 15, 20, 38, 38, 600), until: Date.UTC(2026, 10, 15, 20, 38, 39) }
    const journal = await bundle.journal(NODE, window)
    if (journal.kind !== 'seen') throw new Error('the journal is not seen')
    const kills = journal.value.lines.filter((line) => line.message?.includes('invoked oom-killer') === true)
    expect(kills).toMatchObject([{ transport: 'kernel', identifier: 'kernel', host: NODE }])
    expect(journal.value.lines.every((line) => line.at >= window.since && line.at <= window.until)).toBe(true)
  })
})
