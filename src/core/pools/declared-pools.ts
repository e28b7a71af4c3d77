import { NO_RULES } from '#/core/dispatch/fairness.ts'
import type { PoolRegistration, RunnerPool } from './runner-pool.ts'

type Given = Partial<Omit<RunnerPool, 'github'>> & { readonly github?: Partial<PoolRegistration> }

/** A pool for examples and tests. */
export function declarePool(name: string, { github, ...given }: Given = {}): RunnerPool {
  return {
    namespace: 'runners',
    name,
    labels: ['linux'],
    github: {
      scope: 'repository',
      owner: 'acme',
      repositories: ['app', 'api'],
      runnerGroup: null,
      credential: 'github-app',
      ...github,
    },
    size: { warm: 0, max: 20, startTimeoutMs: 300_000, idleTimeoutMs: 1_800_000 },
    fairness: NO_RULES,
    rollout: { maxUnavailable: { kind: 'percent', value: 25 } },
    shutdown: 'finish',
    template: { spec: { containers: [{ name: 'runner', image: 'runner' }] } },
    ...given,
  }
}
