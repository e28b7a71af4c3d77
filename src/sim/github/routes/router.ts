import type { Level } from '#/sim/github/world/app.ts'
import type { Principal } from '#/sim/github/access/credentials.ts'
import type { Urls } from '#/sim/github/render/urls.ts'

/** What a route needs from the caller. Anything but `anyone` decides before the route's own code runs. */
export type Access =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'app' }
  | { readonly kind: 'installation' }
  /** Everybody but the App itself; the answer shows only what the caller may see. */
  | { readonly kind: 'reader' }
  | { readonly kind: 'permission'; readonly permission: string; readonly level: Level }

export type Call = {
  readonly params: Readonly<Record<string, string>>
  readonly url: URL
  readonly body: unknown
  readonly principal: Principal
  readonly urls: Urls
}

export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As GitHub's OpenAPI description writes it: `/orgs/{org}/actions/runners`. */
  readonly path: string
  readonly access: Access
  readonly answer: (call: Call) => Response
}

export type Matched = { readonly route: Route; readonly params: Readonly<Record<string, string>> }

export function createRouter(routes: readonly Route[]): (method: string, path: string) => Matched | null {
  const compiled = routes.map((route) => ({ route, pattern: compile(route.path) }))
  return (method, path) => {
    for (const { route, pattern } of compiled) {
      const match = route.method === method ? pattern.exec(path) : null
      if (match !== null) return { route, params: decoded(match.groups ?? {}) }
    }
    return null
  }
}

/** A parameter that the route's own path names is there whenever the route matched. */
export function param(call: Call, name: string): string {
  return call.params[name] ?? ''
}

export function idParam(call: Call, name: string): number {
  return Number(param(call, name))
}

export function repositoryName(call: Call): string {
  return `${param(call, 'owner')}/${param(call, 'repo')}`
}

function compile(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
}

function decoded(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))
}
