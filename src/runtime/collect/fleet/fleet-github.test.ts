import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import type { Kubernetes } from '#/ports/kubernetes.ts'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { buildCluster, gathered, NOW, object, paths } from '#test/collect/gathered.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import type { GitHubWorld } from '#test/contracts/github-world.ts'
import { queueRepositories } from './fleet-queue.ts'
import { fleetRegistrations } from './fleet-registrations.ts'
import { WHOLE_FLEET } from '#/runtime/collect/request/request.ts'
import type { FleetWish, Places } from '#/runtime/collect/request/request.ts'

const NOWHERE: Places = { namespaces: [], isInsideOnly: false, repositories: [], organizations: [] }
const set = (name: string, githubConfigUrl: string): object => object(name, { spec: { githubConfigUrl } })
const ACME = set('linux', 'https://github.com/acme')
const runner = (name: string, status: object = {}): object =>
  object(name, { spec: { githubConfigUrl: 'https://github.com/acme' }, status: { runnerName: name, ...status } })
const namesIn = (files: ReadonlyMap<string, string>): readonly string[] => {
  const { runners } = JSON.parse(files.get('github/runners.json') ?? '{"runners":[]}') as {
    readonly runners: readonly { readonly name: string }[]
  }
  return runners.map(({ name }) => name).toSorted()
}

describe('where the runners of a fleet are registered', () => {
  const registered = (urls: readonly string[], places: Partial<Places> = {}) => {
    const sets = urls.map((url) => set('x', url))
    const { asked, beyond } = fleetRegistrations(sets, {
      githubUrl: 'https://api.github.com',
      places: { ...NOWHERE, ...places },
    })
    return { asked: asked.map((one) => (one.kind === 'organization' ? one.organization : one.repository)), beyond }
  }

  it('is where the scale sets say, each place once', () => {
    const urls = ['https://github.com/acme/', 'https://github.com/Acme', 'https://github.com/acme/api']
    expect(registered(urls, { organizations: ['other'] })).toEqual({ asked: ['Acme', 'acme/api'], beyond: [] })
  })

  it('is where the configuration says, without a scale set', () => {
    expect(registered([], { organizations: ['acme'], repositories: ['b/c'] })).toEqual({
      asked: ['acme', 'b/c'],
      beyond: [],
    })
  })

  it.each([
    ['https://github.com/enterprises/big', /whole enterprise \(big\)/],
    ['https://ghe.example.com/acme', /not on the configured GitHub/],
    ['nonsense', /no address/],
  ])('may be beyond what can be asked: %s', (url, why) => {
    expect(registered([url])).toEqual({ asked: [], beyond: [expect.stringMatching(why)] })
  })
})

describe('whose jobs may wait', () => {
  it('is found by names, registrations and the jobs of runners, the busiest first', () => {
    const having = (jobRepositoryName: string) => ({ status: { jobRepositoryName } })
    const runners = [having('a/one'), having('a/two'), having('a/two'), having('no repository'), {}]
    const asked = [
      { kind: 'repository', repository: 'r/own' } as const,
      { kind: 'organization', organization: 'a' } as const,
    ]
    expect(queueRepositories(runners, { asked, beyond: [] }, ['n/amed', 'A/two'])).toEqual([
      'n/amed',
      'a/two',
      'r/own',
      'a/one',
    ])
  })
})

describe('what GitHub knows about a fleet', () => {
  let world: GitHubWorld
  beforeEach(async () => {
    world = await startGitHubWorld()
  })
  afterEach(() => world[Symbol.asyncDispose]())

  function register(name: string, labels: readonly string[] = ['a']): void {
    const scope = { kind: 'organization', login: 'acme' } as const
    const registered = world.sim.world.registerRunner({ name, scope, labels })
    if (registered.kind !== 'registered') throw new Error(registered.kind)
    world.sim.world.runnerComesOnline(registered.runner.id)
  }

  it('is the runners of every registration, and the budget', async () => {
    register('r1')
    const { kubernetes } = buildCluster({
      autoscalingrunnersets: [ACME, set('api', 'https://github.com/acme/api')],
    })
    const { files, sources, meta } = await gathered({ kubernetes }, world)
    expect([sources['github/runners'], namesIn(files)]).toEqual(['looked', ['r1']])
    expect(meta.sources.get('github/runners')).toMatchObject({ coverage: { remark: 'of acme, acme/api' } })
    expect(sources['github/rate-limit']).toBe('looked')
    expect(world.requests.filter((line) => line.includes('/actions/runners'))).toHaveLength(2)
  })

  it('is blind where one registration is, and what was read is written all the same', async () => {
    register('r1')
    const strangers = [ACME, set('their', 'https://github.com/strangers')]
    const part = await gathered({ kubernetes: buildCluster({ autoscalingrunnersets: strangers }).kubernetes }, world)
    expect(part.sources['github/runners']).toMatch(/^[a-z-]+: strangers: /)
    expect(namesIn(part.files)).toEqual(['r1'])
    const enterprise = [ACME, set('all', 'https://github.com/enterprises/big')]
    const beyond = await gathered({ kubernetes: buildCluster({ autoscalingrunnersets: enterprise }).kubernetes }, world)
    expect(beyond.sources['github/runners']).toMatch(/^unsupported: runners of a whole enterprise/)
    const none = await gathered({ kubernetes: buildCluster({}).kubernetes }, world)
    expect(none.sources['github/runners']).toMatch(/^not-asked: no scale set names/)
    expect(none.files.has('github/runners.json')).toBe(false)
  })

  it('is blind where the scale sets are', async () => {
    const { kubernetes } = buildCluster({})
    const list: Kubernetes['list'] = async (request, signal) =>
      request.resource.plural === 'autoscalingrunnersets' ? blind('forbidden', '403') : kubernetes.list(request, signal)
    const { sources } = await gathered({ kubernetes: { ...kubernetes, list } }, world)
    expect(sources['github/runners']).toBe('forbidden: where the runners are registered is not known: 403')
  })

  it('was not asked for without a credential', async () => {
    const { kubernetes } = buildCluster({ autoscalingrunnersets: [ACME] })
    const { sources } = await gathered({ kubernetes })
    for (const list of ['runners', 'queued-jobs', 'jobs', 'annotations', 'rate-limit']) {
      const source = `github/${list}`
      expect([source, sources[source]]).toEqual([source, 'not-asked: no credential for GitHub is configured'])
    }
  })

  it('is jobs that wait or run, of the repositories that are known, and jobs of runners that have ended', async () => {
    const { world: github } = world.sim
    register('r1')
    register('r2', ['b'])
    const ended = github.queueJob({ repository: 'acme/api', labels: ['a'] })
    const running = github.queueJob({ repository: 'acme/api', labels: ['b'] })
    github.assign()
    for (const { id } of [ended, running]) github.startJob(id)
    github.completeJob(ended.id, { conclusion: 'success', log: '' })
    const waiting = github.queueJob({ repository: 'acme/api', labels: ['c'] })
    const job = (run: number): object => ({ jobRepositoryName: 'acme/api', workflowRunId: run })
    const { kubernetes } = buildCluster({
      autoscalingrunnersets: [ACME],
      ephemeralrunners: [runner('r1', job(ended.run)), runner('r2', job(running.run)), runner('r3')],
    })
    const { files, sources, meta } = await gathered({ kubernetes }, world)
    const queued = JSON.parse(files.get('github/queued-jobs.json') ?? '[]') as readonly { readonly id: number }[]
    expect(new Set(queued.map(({ id }) => id))).toEqual(new Set([running.id, waiting.id]))
    expect(meta.sources.get('github/queued-jobs')).toMatchObject({
      coverage: { remark: 'of acme/api; of other repositories nothing is known' },
    })
    // The other one is in the list of those that run.
    expect(paths(files, 'github/jobs/')).toEqual([`github/jobs/${ended.id}.json`])
    expect(sources['github/jobs']).toBe('looked')
  })

  it('is what GitHub says of the jobs that failed, and of no others', async () => {
    const { world: github } = world.sim
    register('r1')
    register('r2', ['b'])
    const failed = github.queueJob({ repository: 'acme/api', labels: ['a'] })
    const well = github.queueJob({ repository: 'acme/api', labels: ['b'] })
    github.assign()
    for (const { id } of [failed, well]) github.startJob(id)
    github.completeJob(failed.id, { conclusion: 'failure', log: '' })
    github.completeJob(well.id, { conclusion: 'success', log: '' })
    const job = (run: number): object => ({ jobRepositoryName: 'acme/api', workflowRunId: run })
    const { kubernetes } = buildCluster({
      autoscalingrunnersets: [ACME],
      ephemeralrunners: [runner('r1', job(failed.run)), runner('r2', job(well.run))],
    })
    const { files, sources } = await gathered({ kubernetes }, world)
    expect(paths(files, 'github/annotations/')).toEqual([`github/annotations/${failed.id}.json`])
    expect(sources['github/annotations']).toBe('looked')
  })

  it('is blind for jobs where a repository is, and where none is known', async () => {
    const ephemeralrunners = [runner('r1', { jobRepositoryName: 'strangers/x', workflowRunId: 7 })]
    const hidden = await gathered(
      { kubernetes: buildCluster({ autoscalingrunnersets: [ACME], ephemeralrunners }).kubernetes },
      world,
    )
    expect(hidden.sources['github/queued-jobs']).toMatch(/^[a-z-]+: strangers\/x: /)
    expect(hidden.sources['github/jobs']).not.toBe('looked')
    const { kubernetes } = buildCluster({ autoscalingrunnersets: [ACME], ephemeralrunners: [runner('r1')] })
    const unknown = await gathered({ kubernetes }, world)
    expect(unknown.sources['github/queued-jobs']).toMatch(/^not-asked: no repository of acme is known .+--repo/)
    expect(unknown.sources['github/jobs']).toBe('looked')
    const named = await gathered({ kubernetes, places: { ...NOWHERE, repositories: ['acme/api'] } }, world)
    expect(named.sources['github/queued-jobs']).toBe('looked')
  })

  it('does not ask one GitHub for a repository of another', async () => {
    const spec = { githubConfigUrl: 'https://ghe.example.com/acme' }
    const far = { ...(runner('r1', { jobRepositoryName: 'acme/api' }) as KubeObject), spec }
    const { kubernetes } = buildCluster({ autoscalingrunnersets: [ACME], ephemeralrunners: [far] })
    const { sources } = await gathered({ kubernetes }, world)
    expect(sources['github/queued-jobs']).toMatch(/^not-asked: /)
  })

  it('is the list that somebody saved, while it is young', async () => {
    const { kubernetes } = buildCluster({ autoscalingrunnersets: [ACME] })
    const collectAged = async (ageMs: number, declared: FleetWish['declared'] = null) => {
      const githubRunners = { rows: [{ id: 1, name: 'saved' }], total: 1, at: NOW - ageMs }
      return gathered({ kubernetes, fleet: { ...WHOLE_FLEET, githubRunners, declared } }, world)
    }
    const young = await collectAged(600_000)
    expect([young.sources['github/runners'], namesIn(young.files)]).toEqual(['looked', ['saved']])
    expect(young.meta.sources.get('github/runners')).toMatchObject({
      coverage: { to: NOW - 600_000, remark: 'a file, 10m old' },
    })
    expect(world.requests.filter((line) => line.includes('/actions/runners'))).toEqual([])
    const old = await collectAged(601_000)
    expect(old.sources['github/runners']).toBe('expired: the file is 10m1s old, and githubFileAge is 10m')
    expect((await collectAged(-601_000)).sources['github/runners']).toMatch(/^expired: the file is 10m1s in the future/)
    const patient = await collectAged(601_000, { text: '', file: { thresholds: { githubFileAge: 3_600_000 } } })
    expect(patient.sources['github/runners']).toBe('looked')
  })

  it('keeps how many GitHub said there are, so that half a list is seen as such', async () => {
    const githubRunners = { rows: [{ id: 1, name: 'saved' }], total: 5, at: NOW }
    const { files } = await gathered({ fleet: { ...WHOLE_FLEET, githubRunners } })
    expect(JSON.parse(files.get('github/runners.json') ?? '')).toMatchObject({ total_count: 5 })
  })
})
