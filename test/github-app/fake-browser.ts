import { createHandClock } from '#test/github/hand-clock.ts'
import { systemClock } from '#/adapters/clock.ts'
import type { ServedGitHub } from '#/sim/github/serve-github.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { AppManifest } from '#/core/github/app-manifest.ts'
import { checkedAgainstOpenApi } from '#test/github/checked-against-openapi.ts'
import { runInProcess } from '#test/cli/run-in-process.ts'
import type { Ran } from '#test/cli/run-signalbox.ts'

export type AppGitHub = { readonly sim: SimGitHub; readonly served: ServedGitHub }

/** An Enterprise Server, whose answers are held to GitHub's description. */
export async function serveAppGitHub(): Promise<AppGitHub> {
  const basePath = '/api/v3'
  const sim = createSimGitHub({
    clock: createHandClock(systemClock.now()),
    basePath,
    inspect: (honest) => checkedAgainstOpenApi(honest, basePath),
  })
  return { sim, served: await serveGitHub(sim.fetch) }
}

/** The form of the first page, as a browser reads it. */
export type Form = {
  readonly action: URL
  readonly manifest: AppManifest
  readonly state: string
  readonly html: string
  readonly headers: Headers
}

type Manner = NonNullable<Parameters<typeof runInProcess>[1]>

/** Runs `github setup` while somebody uses the page that it prints. */
export async function setUp(
  args: readonly string[],
  use: (page: string) => Promise<void>,
  manner: Manner = {},
): Promise<Ran> {
  const ending = new AbortController()
  const signal = AbortSignal.any([ending.signal, ...(manner.signal === undefined ? [] : [manner.signal])])
  const shown = Promise.withResolvers<string | null>()
  let said = ''
  const running = runInProcess(['github', 'setup', '--no-browser', ...args], {
    ...manner,
    signal,
    onStderr: (text) => {
      said += text
      const page = /http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]+/.exec(said)?.[0]
      if (page !== undefined && said.endsWith('\n')) shown.resolve(page)
    },
  })
  void running.finally(() => shown.resolve(null))
  const page = await shown.promise
  try {
    if (page !== null) await use(page)
  } catch (error) {
    // Or it would wait for an hour, and the next run for it.
    ending.abort()
    await running
    throw error
  }
  return await running
}

export async function readForm(page: string): Promise<Form> {
  const answer = await fetch(page)
  const html = await answer.text()
  const attribute = (pattern: RegExp): string => unescapeHtml(pattern.exec(html)?.[1] ?? '')
  const action = new URL(attribute(/action="([^"]*)"/))
  const manifest = JSON.parse(attribute(/name="manifest" value="([^"]*)"/)) as AppManifest
  return { action, manifest, state: action.searchParams.get('state') ?? '', html, headers: answer.headers }
}

/** What GitHub does when somebody confirms: where it sends the browser. */
export function confirm(sim: SimGitHub, { manifest, state }: Form): URL {
  const { name, default_permissions: permissions, default_events: events } = manifest
  const code = sim.submitManifest({ name, permissions, events, webhookUrl: manifest.hook_attributes?.url ?? null })
  const back = new URL(manifest.redirect_url)
  back.searchParams.set('code', code)
  back.searchParams.set('state', state)
  return back
}

/** From the first page to the last. */
export async function clickThrough(
  sim: SimGitHub,
  page: string,
): Promise<{ readonly form: Form; readonly end: string }> {
  const form = await readForm(page)
  const answer = await fetch(confirm(sim, form))
  return { form, end: await answer.text() }
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
