import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import type { Clock } from '#/ports/clock.ts'
import { textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { recordedObjects } from '#test/cluster/recorded-arc.ts'
import { SimulatedApi } from './simulated-api.ts'
import type { Between } from './simulated-api.ts'

export const REPOSITORY = 'acme/app'
const LISTS = [
  'autoscalingrunnersets',
  'ephemeralrunnersets',
  'autoscalinglisteners',
  'ephemeralrunners',
  'pods',
  'deployments',
] as const

/** The time of this machine, and more wherever the program would wait so long. */
export class SkippingClock implements Clock {
  aheadMs = 0
  /** The signal of the command. With others it is a limit of a request, which must not end before its answer. */
  command: AbortSignal | null = null
  /** What happens while the command waits. */
  meanwhile: (ms: number) => Promise<void> = async () => undefined

  readonly now = (): number => Date.now() + this.aheadMs

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal === undefined || signal !== this.command) return await systemClock.sleep(ms, signal)
    await this.meanwhile(ms)
    this.aheadMs += ms
  }
}

/** Around each answer of GitHub. */
export type GitHubHooks = { before: Between; after: Between }

/** A recording of a real ARC behind an API server, its runners registered at a simulated GitHub. */
export type SimulatedFleet = {
  readonly api: SimulatedApi
  readonly sim: SimGitHub
  readonly github: GitHubHooks
  readonly clock: SkippingClock
  readonly env: Readonly<Record<string, string>>
  readonly kubeconfig: string
  readonly folder: string
  /** GitHub's ids, by the runner's name. */
  readonly ids: ReadonlyMap<string, number>
  /** GitHub gives it a job, and nobody records it. */
  readonly giveJob: (runner: string) => void
}

/** Of 0.14.2: two sets with idle runners that are online and say so in their vitals. */
export async function startFleet(recording = '0.14.2-healthy-idle'): Promise<SimulatedFleet> {
  const clock = new SkippingClock()
  const sim = createSimGitHub({ clock })
  sim.world.addOrganization('acme')
  sim.world.addRepository(REPOSITORY)
  sim.install('acme')
  const github: GitHubHooks = { before: () => undefined, after: () => undefined }
  const served = await serveGitHub(async (request) => {
    const asked = { method: request.method, path: new URL(request.url).pathname }
    await github.before(asked)
    const answer = await sim.fetch(request)
    await github.after(asked)
    return answer
  })
  const api = new SimulatedApi()
  const url = await api.listen()
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-reap-'))
  onTestFinished(async () => {
    api.server.closeAllConnections()
    api.server.close()
    await served.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const ids = new Map<string, number>()
  for (const plural of LISTS) {
    api.objects.set(plural, [])
    for (const object of await recordedObjects(recording, plural)) {
      api.put(
        plural,
        plural === 'ephemeralrunners' ? register(placed(object, served.url), { sim, ids }) : placed(object, served.url),
      )
    }
  }
  api.objects.set('events', [])
  api.readLog = (pod) => vitals(pod, { sim, ids, now: clock.now() })
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify(toKubeconfig(url)))
  const env = { SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'), SIGNALBOX_GITHUB_BASE_URL: served.url }
  const giveJob = (runner: string): void => {
    const job = sim.world.queueJob({ repository: REPOSITORY, labels: [runner] })
    sim.world.assign()
    sim.world.startJob(job.id)
  }
  return { api, sim, github, clock, env, kubeconfig, folder, ids, giveJob }
}

/** An old recording, whatever the clock of this machine says, and registered at the simulated GitHub. */
function placed(object: object, github: string): Fields {
  const text = JSON.stringify(object)
    .replaceAll(/2026-11-\d\dT/g, '2020-11-15T')
    .replaceAll('"jobRepositoryName":"', '"jobRepositoryName":"acme/app","was":"')
  return toFields(
    JSON.parse(text.replaceAll(/"githubConfigUrl":"[^"]*"/g, `"githubConfigUrl":"${github}/${REPOSITORY}"`)),
  )
}

export function register(
  runner: Fields,
  { sim, ids }: { readonly sim: SimGitHub; readonly ids: Map<string, number> },
): Fields {
  const name = textAt(runner, 'metadata', 'name') ?? ''
  const scope = { kind: 'repository', fullName: REPOSITORY } as const
  const registered = sim.world.registerRunner({ name, scope, labels: [name], ephemeral: true })
  if (registered.kind !== 'registered') throw new Error(registered.kind)
  const { id } = registered.runner
  sim.world.runnerComesOnline(id)
  ids.set(name, id)
  return { ...runner, status: { ...toFields(runner['status']), runnerId: id } }
}

/** As vitals.sh in the runner prints it: of the processes that are there now. */
function vitals(
  pod: string,
  { sim, ids, now }: { readonly sim: SimGitHub; readonly ids: ReadonlyMap<string, number>; readonly now: number },
): string {
  const id = ids.get(pod)
  if (id === undefined) return ''
  const time = new Date(now).toISOString()
  const workers = (sim.world.runner(id)?.job ?? null) === null ? 0 : 1
  return `${time} signalbox-vitals 1 time=${time} runner.listeners=1 runner.workers=${workers}\n`
}

function toKubeconfig(server: string): object {
  return {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'arc-runners' } }],
    'current-context': 'x',
  }
}
