import type { Clock } from '#/ports/clock.ts'
import type { Installation, SimApp } from '#/sim/github/world/app.ts'
import type { Credentials } from '#/sim/github/access/credentials.ts'
import type { LogLinks } from '#/sim/github/world/log-links.ts'
import type { Manifests } from '#/sim/github/world/manifests.ts'
import type { RateLimit } from '#/sim/github/access/rate-limit.ts'
import type { SecondaryLimit } from '#/sim/github/access/secondary-limit.ts'
import type { Seeded } from '#/sim/github/world/seeded.ts'
import type { Webhooks } from '#/sim/github/world/webhooks.ts'
import type { World } from '#/sim/github/world/world.ts'

/** What the routes answer from. */
export type Context = {
  readonly clock: Clock
  readonly seeded: Seeded
  readonly world: World
  readonly app: SimApp
  readonly installations: Map<number, Installation>
  readonly credentials: Credentials
  readonly rateLimit: RateLimit
  readonly secondaryLimit: SecondaryLimit
  readonly webhooks: Webhooks
  readonly logLinks: LogLinks
  readonly manifests: Manifests
}
