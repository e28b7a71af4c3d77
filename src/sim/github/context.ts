import type { Clock } from '#/ports/clock.ts'
import type { Installation, SimApp } from './app.ts'
import type { Credentials } from './credentials.ts'
import type { LogLinks } from './log-links.ts'
import type { RateLimit } from './rate-limit.ts'
import type { SecondaryLimit } from './secondary-limit.ts'
import type { Seeded } from './seeded.ts'
import type { Webhooks } from './webhooks.ts'
import type { World } from './world.ts'

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
}
