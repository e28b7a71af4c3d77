import type { AuditLog } from '#/ports/audit-log.ts'
import type { Clock } from '#/ports/clock.ts'
import type { NodeAgents } from '#/ports/node-agents.ts'
import { createSeeded } from '#/sim/github/world/seeded.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { gitHubFacade } from './github-facade.ts'
import { replayAgents } from './hosts.ts'
import { kubernetesFacade } from './kubernetes-facade.ts'
import type { Recording } from './recording.ts'
import { createSchedule } from './schedule.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

export type ReplayOptions = {
  readonly recordings: readonly Recording[]
  readonly opening?: string
  readonly clock: Clock
  readonly seed: number
  readonly paceMs: number
  readonly healthy: number
}

/** A small world in which runners work and die, behind the addresses that a cluster and GitHub would have. */
export type Replay = AsyncDisposable & {
  readonly kubernetesUrl: string
  readonly githubUrl: string
  readonly audit: AuditLog
  readonly agents: NodeAgents
  readonly world: World
  /** The time of the first death is counted from here. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

const ENTERS_EVERY_MS = 200

export async function openReplay({ clock, seed, ...plan }: ReplayOptions): Promise<Replay> {
  const world = createWorld(clock)
  const kubernetes = await serveGitHub(kubernetesFacade(world))
  const github = await serveGitHub(gitHubFacade(world))
  const nodesInUse = (): ReadonlySet<string> => new Set(world.plays().flatMap(({ node }) => node ?? []))
  const keepEntering = async (signal: AbortSignal): Promise<void> => {
    const given = {
      opening: '',
      ...plan,
      seeded: createSeeded(seed),
      startedAt: clock.now(),
      githubUrl: github.url,
      nodesInUse,
    }
    const schedule = createSchedule(given)
    while (!signal.aborted) {
      schedule.enter(clock.now(), world.begin)
      await clock.sleep(ENTERS_EVERY_MS, signal)
    }
  }
  return {
    kubernetesUrl: kubernetes.url,
    githubUrl: github.url,
    audit: world.audit,
    agents: replayAgents(world),
    world,
    run: async (signal) => {
      await Promise.all([world.run(signal), keepEntering(signal)])
    },
    [Symbol.asyncDispose]: async () => {
      await kubernetes.stop()
      await github.stop()
    },
  }
}
