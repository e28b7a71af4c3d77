import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { collectFleetTemporarily, collectTemporarily } from '#/cli/collect/temporary-bundle.ts'
import { openTerminal } from '#/cli/output/terminal.ts'
import { loadConfig } from '#/config/load.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'

let folder: string
let sim: SimGitHub
let served: ServedGitHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-temporary-'))
  vi.stubEnv('TMPDIR', folder)
  sim = createSimGitHub({ clock: systemClock })
  sim.world.addOrganization('acme')
  sim.world.addRepository('acme/api')
  served = await serveGitHub(sim.fetch)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await served.stop()
  await rm(folder, { recursive: true })
})

const FLAGS = {
  repo: [],
  since: undefined,
  until: undefined,
  'log-bytes': '1KiB',
  'audit-log': undefined,
  'last-seen': undefined,
  'this-node': undefined,
  loki: undefined,
  'journal-directory': undefined,
  'journal-namespace': undefined,
}

const FLEET_FLAGS = {
  ...FLAGS,
  repo: ['acme/api'],
  fleet: undefined,
  'github-runners-json': undefined,
  'gitlab-config': undefined,
  'gitlab-runners-json': undefined,
}

function commandWith(token: string, signal = new AbortController().signal) {
  const sink = { write: () => true }
  const variables = { SIGNALBOX_GITHUB_TOKEN: token, SIGNALBOX_GITHUB_BASE_URL: served.url, HOME: folder }
  return {
    flags: FLAGS,
    clock: systemClock,
    signal,
    terminal: openTerminal({ stdout: sink, stderr: sink, colour: false, dumb: true, quiet: true, verbose: false }),
    config: async () => {
      const outcome = await loadConfig({ flags: [], workingFolder: folder }, variables)
      if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems))
      return outcome
    },
  }
}

describe('a temporary bundle', () => {
  it('is readable only by this user, and deleted at the end of the scope', async () => {
    const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    const subject = `${served.url}/acme/api/actions/runs/${job.run}/job/${job.id}`
    {
      await using bundle = await collectTemporarily(commandWith(sim.personalToken('acme')), subject)
      expect((await stat(dirname(bundle.path))).mode & 0o777).toBe(0o700)
      const opening = await openBundle(bundle.path, BUNDLE_LIMITS, new AbortController().signal)
      expect(opening).toMatchObject({ kind: 'opened', bundle: { meta: { subject: { jobId: job.id } } } })
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('leaves nothing when nothing could be read, when the subject is invalid, and when it is stopped', async () => {
    await writeFile(join(folder, 'other'), '')
    const subject = `${served.url}/acme/api/actions/jobs/7`
    await expect(collectTemporarily(commandWith('wrong'), subject)).rejects.toMatchObject({ exitCode: 3 })
    await expect(collectTemporarily(commandWith('wrong'), 'a/b/c')).rejects.toMatchObject({ exitCode: 2 })
    await expect(collectTemporarily(commandWith('wrong', AbortSignal.abort()), subject)).rejects.toThrow('abort')
    expect(await readdir(folder)).toEqual(['other'])
  })

  it('has the whole fleet without a subject, limited to the wanted sources', async () => {
    const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    const command = { ...commandWith(sim.personalToken('acme')), flags: FLEET_FLAGS }
    {
      await using bundle = await collectFleetTemporarily(command, new Set(['github/queued-jobs', 'kubernetes/pods']))
      const opening = await openBundle(bundle.path, BUNDLE_LIMITS, new AbortController().signal)
      if (opening.kind === 'refused') throw new Error(opening.why)
      await using opened = opening.bundle
      expect([...opened.meta.sources.keys()].filter((name) => name.startsWith('github/'))).toEqual([
        'github/queued-jobs',
      ])
      const queued = await opened.githubQueuedJobs()
      expect(queued.kind === 'seen' ? queued.value.map(({ id }) => id) : []).toContain(job.id)
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('of a fleet leaves nothing when a given file is invalid', async () => {
    const flags = { ...FLEET_FLAGS, fleet: join(folder, 'missing.yaml') }
    const command = { ...commandWith(sim.personalToken('acme')), flags }
    await expect(collectFleetTemporarily(command, null)).rejects.toMatchObject({ exitCode: 2 })
    expect(await readdir(folder)).toEqual([])
  })
})
