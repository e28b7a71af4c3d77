import { notFound, refusal } from '#/sim/github/render/answers.ts'
import type { Context } from '#/sim/github/routes/context.ts'
import type { Principal } from '#/sim/github/access/credentials.ts'
import { answerEndpoint, createEndpoints } from '#/sim/github/routes/endpoints.ts'
import { withEtag } from './etag.ts'
import type { FetchHandler } from './fetch-handler.ts'
import { acceptedPermissions, refuseInstallation } from '#/sim/github/routes/permissions.ts'
import type { Matched } from '#/sim/github/routes/router.ts'
import { urlsFor } from '#/sim/github/render/urls.ts'

/** From a request to GitHub's honest answer: who asks, is there budget, what is the answer, is it news. */
export function createAnswering(
  context: Context,
  options: { readonly basePath: string; readonly latencyMs: () => number },
): FetchHandler {
  const { clock, rateLimit, secondaryLimit } = context
  const { basePath } = options
  const match = createEndpoints(context)

  /** `/rate_limit` and what the caller has already cost nothing. */
  const charged = async (request: Request, principal: Principal, matched: Matched | null): Promise<Response> => {
    const isFree = matched?.route.path === '/rate_limit'
    const spent = isFree ? null : rateLimit.refuse(principal)
    if (spent !== null) return spent
    const urls = urlsFor(new URL(request.url).origin, basePath)
    const response = await withEtag(request, await answerEndpoint(request, matched, { principal, urls }))
    if (!isFree && response.status !== 304) rateLimit.charge(principal)
    const permissions = matched === null ? {} : acceptedPermissions(matched.route.access)
    return withHeaders(response, { ...permissions, ...rateLimit.headers(principal) })
  }

  const answerApi = async (request: Request, path: string): Promise<Response> => {
    const identified = context.credentials.identify(request.headers.get('authorization'), clock.now())
    if (identified.kind === 'refused') return refusal(401, identified.message)
    const { principal } = identified
    const asleep = refuseInstallation(principal, context.installations)
    if (asleep !== null) return asleep
    const matched = match(request.method, path)
    const entry = secondaryLimit.enter(principal, request.method, matched?.route.path ?? path)
    try {
      const latencyMs = options.latencyMs()
      if (latencyMs > 0) await clock.sleep(latencyMs, request.signal)
      return entry.refused ?? (await charged(request, principal, matched))
    } finally {
      entry.leave()
    }
  }

  return async (request) => {
    context.world.passTime()
    const url = new URL(request.url)
    const log = context.logLinks.serve(url, context.world.job, clock.now())
    if (log !== null) return log
    const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : null
    const response = path === null ? notFound() : await answerApi(request, path)
    return withHeaders(response, {
      date: new Date(clock.now()).toUTCString(),
      'x-github-request-id': context.seeded.guid(),
      'x-github-api-version-selected': request.headers.get('x-github-api-version') ?? '2022-11-28',
    })
  }
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
