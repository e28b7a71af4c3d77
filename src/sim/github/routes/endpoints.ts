import { notFound, refusal } from '#/sim/github/render/answers.ts'
import { appRoutes } from './app-routes.ts'
import { checkRoutes } from './check-routes.ts'
import type { Context } from './context.ts'
import type { Principal } from '#/sim/github/access/credentials.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { jobRoutes } from './job-routes.ts'
import { metaRoutes } from './meta-routes.ts'
import { refuseAccess } from './permissions.ts'
import { repositoryRoutes } from './repository-routes.ts'
import type { Matched } from './router.ts'
import { createRouter } from './router.ts'
import { runRoutes } from './run-routes.ts'
import { runnerRoutes } from './runner-routes.ts'
import type { Urls } from '#/sim/github/render/urls.ts'

/** All that the simulated GitHub can be asked. */
export function createEndpoints(context: Context): ReturnType<typeof createRouter> {
  return createRouter([
    ...metaRoutes(context),
    ...appRoutes(context),
    ...deliveryRoutes(context),
    ...repositoryRoutes(context),
    ...runnerRoutes(context),
    ...jobRoutes(context),
    ...runRoutes(context),
    ...checkRoutes(context),
  ])
}

/** May the caller, is the body readable, and what is the answer. */
export async function answerEndpoint(
  request: Request,
  matched: Matched | null,
  caller: { readonly principal: Principal; readonly urls: Urls },
): Promise<Response> {
  if (matched === null) return notFound()
  const { route, params } = matched
  const refused = refuseAccess(route.access, caller.principal, params)
  if (refused !== null) return refused
  const body = await readBody(request)
  if (body.kind === 'malformed') return refusal(400, 'Problems parsing JSON')
  return route.answer({ ...caller, params, url: new URL(request.url), body: body.value })
}

type Body = { readonly kind: 'read'; readonly value: unknown } | { readonly kind: 'malformed' }

async function readBody(request: Request): Promise<Body> {
  const text = await request.text()
  if (text === '') return { kind: 'read', value: null }
  try {
    return { kind: 'read', value: JSON.parse(text) }
  } catch {
    return { kind: 'malformed' }
  }
}
