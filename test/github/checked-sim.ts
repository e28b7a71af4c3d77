import { appJwt, newAppKeys } from '#/sim/github/access/app-keys.ts'
import type { Installation } from '#/sim/github/world/app.ts'
import type { SimGitHub, SimGitHubOptions } from '#/sim/github/sim-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { checkedAgainstOpenApi } from '#test/github/checked-against-openapi.ts'
import type { HandClock } from '#test/github/hand-clock.ts'
import { createHandClock } from '#test/github/hand-clock.ts'

/** Making a key pair is slow and no test needs its own. */
const keys = newAppKeys()

export type Asked = {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** `body` is parsed where it is JSON, else the text. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown }

export type CheckedSim = {
  readonly sim: SimGitHub
  readonly clock: HandClock
  readonly installation: Installation
  readonly call: (method: string, path: string, asked?: Asked) => Promise<Answer>
  /** As `call`, with a token of the installation on `acme`. */
  readonly asInstallation: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly asApp: (method: string, path: string, body?: unknown) => Promise<Answer>
}

/** The organisation `acme` with the private repositories `acme/api` and `acme/web`, and the App installed on it. */
export function createCheckedSim(options: Partial<Omit<SimGitHubOptions, 'clock'>> = {}): CheckedSim {
  const clock = createHandClock()
  const { basePath = '' } = options
  const sim = createSimGitHub({
    keys,
    inspect: (honest) => checkedAgainstOpenApi(honest, basePath),
    ...options,
    clock,
  })
  sim.world.addOrganization('acme')
  sim.world.addRepository('acme/api')
  sim.world.addRepository('acme/web')
  const installation = sim.install('acme')

  const call = async (method: string, path: string, asked: Asked = {}): Promise<Answer> => {
    const request = new Request(`https://api.github.test${basePath}${path}`, {
      method,
      headers: {
        ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
        ...asked.headers,
      },
      ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
    })
    const response = await sim.fetch(request)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text }
  }
  return {
    sim,
    clock,
    installation,
    call,
    asInstallation: (method, path, body) => call(method, path, { token: sim.installationToken('acme'), body }),
    asApp: (method, path, body) => call(method, path, { token: freshAppJwt(sim, clock), body }),
  }
}

export function freshAppJwt(sim: SimGitHub, clock: HandClock): string {
  const now = Math.floor(clock.now() / 1_000)
  return appJwt(sim.keys.privateKeyPem, { iss: sim.app.id, iat: now - 30, exp: now + 540 })
}
