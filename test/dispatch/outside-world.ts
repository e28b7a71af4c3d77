import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { textAt } from '#/core/basics/fields.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'
import { NAMESPACE } from './own-pods.ts'

/** What a test puts around a request: `POST /path`. */
export type Around = (asked: string) => void | Promise<void>

export type OutsideWorld = {
  readonly sim: SimGitHub
  readonly github: { readonly url: string; readonly token: string; before: Around; after: Around }
  readonly cluster: { readonly kubeconfig: string; before: Around; after: Around }
  /** The body of each patch. */
  readonly patches: string[]
}

/** A simulated GitHub, and as much of an API server as dispatch asks for: reviews, where a token is a UID, and patches. */
export async function startOutsideWorld(): Promise<OutsideWorld> {
  const sim = createSimGitHub({ clock: systemClock })
  sim.world.addOrganization('acme')
  for (const name of ['app', 'api']) sim.world.addRepository(`acme/${name}`)
  sim.install('acme')
  const nothing = (): void => {}
  const around = {
    github: { before: nothing as Around, after: nothing as Around },
    cluster: { before: nothing as Around, after: nothing as Around },
  }
  const patches: string[] = []
  const served = await serveGitHub(async (request) => {
    const asked = `${request.method} ${new URL(request.url).pathname}`
    await around.github.before(asked)
    const answer = await sim.fetch(request)
    await around.github.after(asked)
    return answer
  })
  const api = await serveGitHub(async (request) => {
    const asked = `${request.method} ${new URL(request.url).pathname}`
    const body = await request.text()
    await around.cluster.before(asked)
    if (request.method === 'PATCH') patches.push(body)
    const answer = request.method === 'PATCH' ? { metadata: { name: 'x' } } : reviewed(body)
    await around.cluster.after(asked)
    return Response.json(answer, { status: request.method === 'PATCH' ? 200 : 201 })
  })
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-dispatch-'))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify(toKubeconfig(api.url)))
  onTestFinished(async () => {
    await served.stop()
    await api.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const github = Object.assign(around.github, { url: served.url, token: sim.personalToken('acme') })
  return { sim, github, cluster: Object.assign(around.cluster, { kubeconfig }), patches }
}

function reviewed(body: string): object {
  const token = textAt(JSON.parse(body), 'spec', 'token') ?? ''
  const username = `system:serviceaccount:${NAMESPACE}:linux`
  const extra = {
    'authentication.kubernetes.io/pod-name': [`linux-${token}`],
    'authentication.kubernetes.io/pod-uid': [token],
  }
  const status = { authenticated: true, audiences: ['signalbox-dispatch'], user: { username, groups: [], extra } }
  return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status }
}

function toKubeconfig(server: string): object {
  return {
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
}
