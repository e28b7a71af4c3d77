/**
 * GitHub's REST side, simulated: for tests and for the demo on nothing.
 *
 *   const sim = createSimGitHub({ clock })
 *   sim.world.addOrganization('acme')
 *   sim.world.addRepository('acme/api')
 *   const installation = sim.install('acme')
 *   await using server = await serveGitHub(sim.fetch)          // or call sim.fetch(new Request(…)) directly
 *   // the adapter gets: server.url, sim.app.id, sim.keys.privateKeyPem, installation.id
 *   // or a token:       sim.installationToken('acme'), sim.personalToken('acme', { actions: 'read' })
 *
 *   const job = sim.world.queueJob({ repository: 'acme/api', labels: ['linux'] })
 *   sim.world.runnerComesOnline(runnerId)                       // the id that generate-jitconfig answered
 *   for (const { job } of sim.world.assign()) sim.world.startJob(job.id)
 *   sim.world.completeJob(job.id)                               // the JIT runner is gone now
 *   await sim.webhooks.flush()                                  // sends what waits through `deliver`
 *
 *   sim.faults.add({ path: /\/actions\/runners/, fault: { kind: 'answer', status: 502 } })
 *   sim.rateLimit.set(`installation:${installation.id}`, { remaining: 3 })
 *   sim.secondaryLimit.trip({ times: 1, retryAfterSeconds: 60 })
 *
 * Time is the given clock: expiry of tokens, budgets and logs, lost communication (`world.passTime()`, also before each
 * answer). Ids, GUIDs and tokens come from `seed`; only the App's key pair is fresh. `inspect` wraps the honest answers
 * below the faults: the tests put the check against GitHub's OpenAPI description there.
 */
import type { Clock } from '#/ports/clock.ts'
import { createAnswering } from './answering.ts'
import type { Installation, Installations, Permissions, SimApp } from '#/sim/github/world/app.ts'
import { APP_PERMISSIONS, installationFor, installedOn } from '#/sim/github/world/app.ts'
import type { AppKeys } from '#/sim/github/access/app-keys.ts'
import { newAppKeys } from '#/sim/github/access/app-keys.ts'
import type { Context } from '#/sim/github/routes/context.ts'
import { createCredentials } from '#/sim/github/access/credentials.ts'
import type { Faults } from './faults.ts'
import { createFaults } from './faults.ts'
import type { FetchHandler } from './fetch-handler.ts'
import { createLogLinks } from '#/sim/github/world/log-links.ts'
import type { RateLimit } from '#/sim/github/access/rate-limit.ts'
import { createRateLimit } from '#/sim/github/access/rate-limit.ts'
import type { SecondaryLimit } from '#/sim/github/access/secondary-limit.ts'
import { createSecondaryLimit } from '#/sim/github/access/secondary-limit.ts'
import type { Seeded } from '#/sim/github/world/seeded.ts'
import { createSeeded } from '#/sim/github/world/seeded.ts'
import type { Urls } from '#/sim/github/render/urls.ts'
import { urlsFor } from '#/sim/github/render/urls.ts'
import { webhookPayload } from '#/sim/github/render/webhook-payload.ts'
import type { SubmittedManifest } from '#/sim/github/world/manifests.ts'
import { createManifests } from '#/sim/github/world/manifests.ts'
import type { Deliver, Webhooks } from '#/sim/github/world/webhooks.ts'
import { createWebhooks } from '#/sim/github/world/webhooks.ts'
import type { World } from '#/sim/github/world/world.ts'
import { createWorld } from '#/sim/github/world/world.ts'
import type { WorldEvent } from '#/sim/github/world/world-state.ts'
import type { WorldRules } from '#/sim/github/world/world-tables.ts'
import { SimMisuse, WORLD_RULES } from '#/sim/github/world/world-tables.ts'

export type SimGitHubOptions = {
  readonly clock: Clock
  readonly seed?: number
  /** `/api/v3` for an enterprise server. */
  readonly basePath?: string
  readonly rules?: Partial<WorldRules>
  readonly keys?: AppKeys
  /** Where the App's webhooks go. Without it none are sent. */
  readonly webhook?: { readonly url: string; readonly secret: string; readonly deliver: Deliver }
  readonly inspect?: (honest: FetchHandler) => FetchHandler
}

export type SimGitHub = {
  readonly fetch: FetchHandler
  readonly world: World
  readonly app: SimApp
  readonly keys: AppKeys
  readonly webhooks: Webhooks
  readonly rateLimit: RateLimit
  readonly secondaryLimit: SecondaryLimit
  readonly faults: Faults
  /** How long GitHub thinks about every call, so that calls overlap. */
  readonly setLatencyMs: (ms: number) => void
  readonly install: (
    login: string,
    options?: { readonly permissions?: Permissions; readonly repositories?: readonly string[] },
  ) => Installation
  readonly suspend: (installation: number) => void
  readonly uninstall: (installation: number) => void
  readonly installationToken: (login: string) => string
  readonly personalToken: (login: string, permissions?: Permissions) => string
  readonly revokeToken: (token: string) => void
  /** Somebody confirms a manifest on GitHub's page: the code with which the browser is sent back. */
  readonly submitManifest: (manifest: Omit<SubmittedManifest, 'owner'>) => string
}

const API_ORIGIN = 'https://github.test'

export function createSimGitHub(options: SimGitHubOptions): SimGitHub {
  const { clock, basePath = '', keys = newAppKeys() } = options
  const seeded = createSeeded(options.seed ?? 1)
  const installations = new Map<number, Installation>()
  const app = createApp(options, keys, seeded)
  const webhooks = createWebhooks({
    clock,
    seeded,
    target: options.webhook === undefined ? null : { ...options.webhook, appId: app.id },
  })
  const world = createWorld({
    clock,
    seeded,
    rules: { ...WORLD_RULES, ...options.rules },
    emit: (event) => announce(event, { installations, webhooks, urls: urlsFor(API_ORIGIN, basePath) }),
  })
  const context: Context = {
    clock,
    seeded,
    world,
    app,
    installations,
    credentials: createCredentials(app, seeded),
    rateLimit: createRateLimit(clock),
    secondaryLimit: createSecondaryLimit(clock),
    webhooks,
    logLinks: createLogLinks(seeded.hex(32)),
    manifests: createManifests({ clock, seeded, app, privateKeyPem: keys.privateKeyPem }),
  }
  let latencyMs = 0
  const honest = createAnswering(context, { basePath, latencyMs: () => latencyMs })
  const faults = createFaults(clock)
  return {
    fetch: faults.around(options.inspect?.(honest) ?? honest),
    world,
    app,
    keys,
    webhooks,
    rateLimit: context.rateLimit,
    secondaryLimit: context.secondaryLimit,
    faults,
    setLatencyMs: (ms) => {
      latencyMs = ms
    },
    ...administration(context),
  }
}

type Administered =
  | 'install'
  | 'suspend'
  | 'uninstall'
  | 'installationToken'
  | 'personalToken'
  | 'revokeToken'
  | 'submitManifest'

/** What an owner does by hand on GitHub's pages. */
function administration(context: Context): Pick<SimGitHub, Administered> {
  const { clock, seeded, world, app, installations, credentials } = context
  const findAccount = (login: string) => {
    const account = world.account(login)
    if (account === undefined) throw new SimMisuse(`no account ${login}`)
    return account
  }
  return {
    install: (login, chosen = {}) => {
      const installation: Installation = {
        id: seeded.id(),
        account: findAccount(login),
        permissions: chosen.permissions ?? app.permissions,
        repositories: chosen.repositories ?? null,
        suspendedAt: null,
        createdAt: clock.now(),
      }
      installations.set(installation.id, installation)
      return installation
    },
    suspend: (id) => {
      const installation = installations.get(id)
      if (installation === undefined) throw new SimMisuse(`no installation ${id}`)
      installations.set(id, { ...installation, suspendedAt: clock.now() })
    },
    uninstall: (id) => {
      installations.delete(id)
    },
    installationToken: (login) => {
      const installation = installedOn(installations, login)
      if (installation === undefined) throw new SimMisuse(`the App is not installed on ${login}`)
      const { permissions, repositories } = installation
      return credentials.issue(installation, { permissions, repositories }, clock.now()).token
    },
    personalToken: (login, permissions = APP_PERMISSIONS) =>
      credentials.addPersonalToken(findAccount(login), permissions),
    revokeToken: (token) => credentials.revoke(token),
    submitManifest: (manifest) => context.manifests.submit({ ...manifest, owner: app.owner }),
  }
}

function createApp(options: SimGitHubOptions, keys: AppKeys, seeded: Seeded): SimApp {
  const { webhook } = options
  return {
    id: seeded.id(),
    slug: 'signalbox',
    name: 'Signalbox',
    clientId: `Iv23${seeded.hex(16)}`,
    owner: { id: seeded.id(), login: 'signalbox-owner', type: 'User' },
    publicKeyPem: keys.publicKeyPem,
    permissions: APP_PERMISSIONS,
    events: ['workflow_job', 'workflow_run'],
    webhook: webhook === undefined ? null : { url: webhook.url, secret: webhook.secret },
    createdAt: options.clock.now(),
  }
}

/** An event reaches the App only where it is installed and not suspended. */
function announce(
  event: WorldEvent,
  to: { readonly installations: Installations; readonly webhooks: Webhooks; readonly urls: Urls },
): void {
  const installation = installationFor(to.installations, event.repository.fullName)
  if (installation === undefined || installation.suspendedAt !== null) return
  to.webhooks.enqueue({
    event: event.kind,
    action: event.action,
    installation: installation.id,
    repository: event.repository.id,
    payload: webhookPayload(event, installation, to.urls),
  })
}
