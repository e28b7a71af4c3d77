import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { ownPackage } from '#/adapters/files/own-package.ts'
import { convertManifest } from '#/adapters/github/manifest/convert-manifest.ts'
import type { Conversion } from '#/adapters/github/manifest/convert-manifest.ts'
import { openManifestPage } from '#/adapters/github/manifest/manifest-page.ts'
import type { Arrival, ManifestPage } from '#/adapters/github/manifest/manifest-page.ts'
import { startDeadline } from '#/adapters/http/deadline.ts'
import { makeDispatchers } from '#/adapters/http/dispatchers.ts'
import { proxyFor } from '#/adapters/http/proxy-for.ts'
import type { Network } from '#/app/network.ts'
import { readNetwork } from '#/app/network.ts'
import { openCluster } from '#/app/open-cluster.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { buildManifest } from '#/core/github/app-manifest.ts'
import type { AppWish } from '#/core/github/app-manifest.ts'
import { newAppUrl } from '#/core/github/github-site.ts'
import type { GitHubSite } from '#/core/github/github-site.ts'
import type { setupFlags } from './command.ts'
import { conversionFailure, storeFailure } from './failures.ts'
import { openKeyStore } from './key-store.ts'
import type { KeyStore } from './key-store.ts'
import { openBrowser } from './open-browser.ts'
import { readAppWish, readPlace, readSite } from './read-wish.ts'
import { printApp, shownEnd } from './render-app.ts'

type Context = CommandContext<typeof setupFlags>
type Setup = { readonly context: Context; readonly wish: AppWish; readonly site: GitHubSite; readonly network: Network }
type Means = Setup & { readonly keys: KeyStore }

/** GitHub forgets a code after an hour, and what began before it. */
const WAIT_MS = 3_600_000
const FINISH_MS = 120_000
const RANDOM_BYTES = 32
const PAUSES_MS = [1000, 4000, 0]

export async function run(context: Context): Promise<ExitCode> {
  const { flags, clock, signal } = context
  const wish = readAppWish(flags)
  const place = readPlace(flags)
  const { config } = await context.config()
  const site = readSite(flags, config.github.baseUrl)
  const network = await readNetwork(config)
  await using kubernetes = place.kind === 'secret' ? openCluster(config, network, clock) : null
  const keys = openKeyStore(place, { kubernetes, force: flags.force })
  await keys.check(signal)
  signal.throwIfAborted()
  const app = await createApp({ context, wish, site, network, keys })
  const where = place.kind === 'folder' ? { ...place, folder: resolve(place.folder) } : place
  await printApp(context, { app, wish, site, place: where })
  return EXIT.ok
}

async function createApp(means: Means) {
  const { context, wish, site } = means
  const { terminal } = context
  const owner = wish.organization === null ? '' : `/${wish.organization}`
  await using page = await openManifestPage({
    build: (redirectUrl) => buildManifest(wish, { homepage: `${site.web}${owner}`, redirectUrl }),
    formAt: (state) => newAppUrl(site, wish.organization, state),
    draw: () => randomBytes(RANDOM_BYTES).toString('base64url'),
    onStranger: (why) => terminal.notice(`${why}. Still waiting.`),
  })
  invite(context, page)
  const arrival = await awaitBrowser(page, context)
  return await finish(means, arrival)
}

function invite({ terminal, flags }: Context, { url, port }: ManifestPage): void {
  const isOpened = flags.browser && terminal.ask !== null && openBrowser(url)
  terminal.notice(isOpened ? 'Your browser opens this page:' : 'Open this page in a browser:')
  // Without it nobody can go on, so that it is shown also with --quiet.
  terminal.log(`  ${url}`)
  if (!isOpened) terminal.notice(`From another machine, first: ssh -L ${port}:127.0.0.1:${port} THIS-MACHINE`)
  terminal.notice('Waiting for GitHub. Ctrl-C gives up; nothing has been created yet.')
}

async function awaitBrowser(page: ManifestPage, { clock, signal }: Context): Promise<Arrival> {
  using deadline = startDeadline(clock, WAIT_MS, signal)
  try {
    return await page.arrival(deadline.signal)
  } catch (error) {
    if (!deadline.expired()) throw error
    throw new CommandFailure(EXIT.failed, 'nobody came back from GitHub within an hour', [
      'run it again: GitHub forgets what was begun, and nothing was stored',
    ])
  }
}

/** From here on Ctrl-C waits: the code is good for once, and an App whose key was lost is of no use. */
async function finish(means: Means, arrival: Arrival) {
  const { context, wish, site, keys } = means
  using deadline = startDeadline(context.clock, FINISH_MS, new AbortController().signal)
  const conversion = await convert(means, arrival.code, deadline.signal)
  if (conversion.kind !== 'created') {
    const failure = conversionFailure(conversion, site, wish)
    await arrival.answer({ title: 'No App was set up', text: `${failure.message}. See the terminal.` })
    throw failure
  }
  const { app } = conversion
  const why = await keys.store(app, deadline.signal)
  if (why !== null) {
    const failure = storeFailure(app, why, { site, wish })
    await arrival.answer({ title: 'The key could not be stored', text: 'The App exists. See the terminal.' })
    throw failure
  }
  await arrival.answer(shownEnd(app))
  return app
}

async function convert({ context, site, network }: Means, code: string, signal: AbortSignal): Promise<Conversion> {
  const { clock } = context
  const { proxies, authorities } = network
  const dispatchers = makeDispatchers({
    wayTo: (target) => proxyFor(target, proxies),
    tls: { ca: authorities },
    proxyCa: authorities,
    connections: null,
  })
  const userAgent = `signalbox/${ownPackage().version}`
  try {
    let conversion: Conversion = { kind: 'blind', detail: 'not asked' }
    for (const pauseMs of PAUSES_MS) {
      conversion = await convertManifest({ dispatchers, clock }, { api: site.api, code, userAgent }, signal)
      if (conversion.kind !== 'blind') return conversion
      await clock.sleep(pauseMs, signal)
    }
    return conversion
  } finally {
    await dispatchers.close()
  }
}
