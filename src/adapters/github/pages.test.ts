import { describe, expect, it } from 'vitest'
import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import { startGitHubWorld } from '#test/contracts/github-world.ts'
import { blindAs, someNumber, textWith } from '#test/contracts/github-matchers.ts'

const ORG = { kind: 'organization', organization: 'acme' } as const
const SCOPE = { kind: 'organization', login: 'acme' } as const

async function makeWorld(runners: number, around: (next: FetchHandler) => FetchHandler = (next) => next) {
  const world = await startGitHubWorld({ around })
  const register = (index: number): number => {
    const outcome = world.sim.world.registerRunner({ name: `linux-${index}`, scope: SCOPE, labels: ['linux'] })
    if (outcome.kind !== 'registered') throw new Error(outcome.kind)
    return outcome.runner.id
  }
  const ids = Array.from({ length: runners }, (_, index) => register(index))
  return { ...world, ids, register }
}

const secondPage = /runners\?.*page=2/u
const truncated = blindAs('truncated')

describe('pages of a list', () => {
  it('are read once more from the start where a row goes between two of them', async () => {
    await using world = await makeWorld(250)
    const { sim, github, ids, requests } = world
    sim.faults.add({
      path: secondPage,
      fault: { kind: 'meanwhile', happens: () => sim.world.removeRunner(SCOPE, ids[0]!) },
    })
    const list = await github.runners.list(ORG)
    expect(list.kind === 'seen' && list.value.map(({ id }) => id)).toEqual(ids.slice(1))
    expect(requests.filter((request) => request.includes('/actions/runners?'))).toHaveLength(8)
  })

  it('are blind where rows keep going', async () => {
    await using world = await makeWorld(250)
    const { sim, github, ids } = world
    let next = 0
    const happens = (): void => void sim.world.removeRunner(SCOPE, ids[next++]!)
    sim.faults.add({ path: secondPage, fault: { kind: 'meanwhile', happens }, times: 9 })
    expect(await github.runners.list(ORG)).toEqual(truncated)
  })

  it('are read once more where one row goes and another comes, so that the count stays and a third is skipped', async () => {
    await using world = await makeWorld(150)
    const { sim, github, ids, register } = world
    const happens = (): void => {
      sim.world.removeRunner(SCOPE, ids[0]!)
      register(1000)
    }
    sim.faults.add({ path: secondPage, fault: { kind: 'meanwhile', happens } })
    const list = await github.runners.list(ORG)
    expect(list.kind === 'seen' && list.value.map(({ id }) => id)).toEqual([...ids.slice(1), someNumber])
  })

  it('hold every row that was there all the time, where others come and go without end', async () => {
    await using world = await makeWorld(450)
    const { sim, github, ids, register } = world
    const [stable, fleeting] = [ids.filter((id) => id % 5 !== 0), ids.filter((id) => id % 5 === 0)]
    let asked = 0
    const happens = (): void => {
      asked += 1
      if (asked % 3 !== 0) return
      sim.world.removeRunner(SCOPE, fleeting.shift()!)
      if (asked % 2 === 0) register(1000 + asked)
    }
    sim.faults.add({ path: /runners\?/u, fault: { kind: 'meanwhile', happens }, times: 200 })
    const list = await github.runners.list(ORG)
    const found = new Set(list.kind === 'seen' ? list.value.map(({ id }) => id) : [])
    expect(stable.filter((id) => !found.has(id))).toEqual([])
    expect(asked).toBeGreaterThan(15)
  })

  it('do not lose a row that slips back to a page that was read', async () => {
    await using world = await makeWorld(150)
    const { sim, github, ids } = world
    let gone = 0
    const happens = (): void => {
      if (gone < 3) sim.world.removeRunner(SCOPE, ids[gone]!)
      gone += 1
    }
    sim.faults.add({ path: secondPage, fault: { kind: 'meanwhile', happens }, times: 9 })
    const list = await github.runners.list(ORG)
    const found = list.kind === 'seen' ? list.value.map(({ id }) => id) : []
    expect(found).toEqual(expect.arrayContaining(ids.slice(3)))
  })

  it.each([
    ['a page that is missing', { total_count: 250, runners: [] }],
    ['a count that does not fit', { total_count: 7, runners: [] }],
  ])('are blind for %s', async (_name, page) => {
    await using world = await makeWorld(250)
    const fault = { kind: 'answer', status: 200, body: JSON.stringify(page) } as const
    world.sim.faults.add({ path: secondPage, fault, times: 20 })
    expect(await world.github.runners.list(ORG)).toEqual(truncated)
  })

  it('are blind where the pages differ about the count, although the rows are as many', async () => {
    const readPage = async (next: FetchHandler, request: Request): Promise<Response> => {
      const answer = await next(request)
      if (!secondPage.test(request.url)) return answer
      const page = (await answer.json()) as object
      return Response.json({ ...page, total_count: 149 })
    }
    await using world = await makeWorld(150, (next) => (request) => readPage(next, request))
    expect(await world.github.runners.list(ORG)).toEqual(blindAs('truncated', textWith('50 rows of 49')))
  })

  it('are blind where a page comes twice', async () => {
    await using world = await makeWorld(250)
    const first = await (
      await fetch(`${world.url}/orgs/acme/actions/runners?per_page=100`, {
        headers: { authorization: `Bearer ${world.sim.installationToken('acme')}` },
      })
    ).text()
    world.sim.faults.add({ path: secondPage, fault: { kind: 'answer', status: 200, body: first }, times: 20 })
    expect(await world.github.runners.list(ORG)).toEqual({
      kind: 'blind',
      reason: { code: 'truncated', detail: textWith('came twice') },
    })
  })

  it('are blind where GitHub counts more results than it gives, as it does beyond a thousand', async () => {
    await using world = await makeWorld(0)
    const { sim, github } = world
    for (let run = 0; run < 120; run += 1) sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    const empty = JSON.stringify({ total_count: 120, workflow_runs: [] })
    sim.faults.add({ path: /runs\?.*page=2/u, fault: { kind: 'answer', status: 200, body: empty }, times: 20 })
    expect(await github.jobs.runs('acme/api', 'queued')).toEqual(truncated)
  })
})

describe('pages that are linked', () => {
  const annotated = async () => {
    const world = await startGitHubWorld()
    const job = world.sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
    for (let line = 0; line < 150; line += 1) {
      world.sim.world.annotate(job.id, { level: 'notice', message: String(line), title: null, path: 'x' })
    }
    return { ...world, job: job.id }
  }

  it('are blind where an announced page is empty', async () => {
    await using world = await annotated()
    world.sim.faults.add({ path: /annotations.*page=2/u, fault: { kind: 'answer', status: 200, body: '[]' } })
    expect(await world.github.checks.annotations('acme/api', world.job)).toEqual(truncated)
  })

  it('are blind where they go round in a circle', async () => {
    await using world = await annotated()
    const link = '<http://elsewhere.test/steal?page=2&per_page=100>; rel="next"'
    const body = JSON.stringify([{ path: 'x', start_line: 1, message: 'm', annotation_level: 'notice', title: null }])
    world.sim.faults.add({
      path: /annotations/u,
      fault: { kind: 'answer', status: 200, headers: { link }, body },
      times: 9,
    })
    expect(await world.github.checks.annotations('acme/api', world.job)).toEqual(truncated)
  })

  it('are asked of GitHub, whatever host the link names', async () => {
    await using world = await annotated()
    const link = '<http://elsewhere.test/steal?page=2&per_page=100>; rel="next"'
    const body = JSON.stringify([{ path: 'x', start_line: 1, message: 'm' }])
    world.sim.faults.add({ path: /annotations/u, fault: { kind: 'answer', status: 200, headers: { link }, body } })
    const found = await world.github.checks.annotations('acme/api', world.job)
    expect(found.kind).toBe('seen')
    expect(world.requests.filter((request) => request.includes('annotations'))).toHaveLength(2)
  })
})
