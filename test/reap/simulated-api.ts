import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { at, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

export type Asked = { readonly method: string; readonly path: string }

/** What a test puts between a request and its answer. */
export type Between = (asked: Asked) => void | Promise<void>

type Chosen = { readonly namespace: string | undefined; readonly only: string | null }
type Target = { readonly method: string; readonly plural: string; readonly name: string }

const GROUPS = {
  kind: 'APIGroupList',
  groups: ['actions.github.com', 'apps'].map((name) => {
    const version = name === 'apps' ? 'v1' : 'v1alpha1'
    return { name, versions: [{ version }], preferredVersion: { version } }
  }),
}
const PATH = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+?))?(?:\/(log))?$/u

/**
 * As much of an API server as `reap` and `github setup` ask for: lists, single objects, logs, creations, deletions and
 * merge patches with their preconditions, and access reviews.
 */
export class SimulatedApi {
  /** By plural. */
  readonly objects = new Map<string, Fields[]>()
  readonly removed: string[] = []
  readonly scaled: string[] = []
  /** Verb and plural, as `delete ephemeralrunners`. */
  readonly denied = new Set<string>()
  /** The same, denied only to whoever asks what it may do. */
  readonly unreviewed = new Set<string>()
  readonly server = createServer((request, response) => void this.#respond(request, response))
  before: Between = () => undefined
  /** After the change, before the answer. */
  after: Between = () => undefined
  readLog: (pod: string) => string = () => ''
  onScaled: (name: string) => void = () => undefined
  #version = 1000

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    const { port } = this.server.address() as { port: number }
    return `http://127.0.0.1:${port}`
  }

  put(plural: string, object: Fields): void {
    this.#version += 1
    const versioned = {
      ...object,
      metadata: { ...toFields(object['metadata']), resourceVersion: String(this.#version) },
    }
    const others = (this.objects.get(plural) ?? []).filter((one) => keyOf(one) !== keyOf(object))
    this.objects.set(plural, [...others, versioned])
  }

  /** Merges deeply, as a controller would write it. */
  change(plural: string, name: string, changes: Fields): void {
    const object = this.find(plural, name)
    if (object !== undefined) this.put(plural, merged(object, changes))
  }

  find(plural: string, name: string): Fields | undefined {
    return (this.objects.get(plural) ?? []).find((one) => textAt(one, 'metadata', 'name') === name)
  }

  drop(plural: string, name: string): void {
    const left = (this.objects.get(plural) ?? []).filter((one) => textAt(one, 'metadata', 'name') !== name)
    this.objects.set(plural, left)
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const body = await text(request).catch(() => '')
    const { pathname, searchParams } = new URL(url, 'http://x')
    await this.before({ method, path: pathname })
    const only = searchParams.get('fieldSelector')?.replace('metadata.name=', '') ?? null
    const answer = this.#answer({ method, path: pathname, only }, body === '' ? {} : toFields(JSON.parse(body)))
    await this.after({ method, path: pathname })
    const isText = typeof answer.body === 'string'
    response.writeHead(answer.status, { 'content-type': isText ? 'text/plain' : 'application/json' })
    response.end(isText ? answer.body : JSON.stringify(answer.body))
  }

  #answer(
    { method, path, only }: Asked & { readonly only: string | null },
    body: Fields,
  ): { readonly status: number; readonly body: unknown } {
    if (path === '/apis') return { status: 200, body: GROUPS }
    if (path.endsWith('/selfsubjectaccessreviews')) return { status: 201, body: this.#review(body) }
    const [, namespace, plural = '', name, log] = PATH.exec(path) ?? []
    const rows = this.objects.get(plural)
    if (rows === undefined) return refusal(404, 'NotFound', path)
    if (name === undefined) {
      return method === 'POST' ? this.#create(plural, body) : this.#list(plural, { namespace, only })
    }
    const object = this.find(plural, name)
    if (object === undefined) return refusal(404, 'NotFound', `${plural} "${name}" not found`, { name, kind: plural })
    if (log !== undefined) return { status: 200, body: this.readLog(name) }
    return this.#answerOne({ method, plural, name }, object, body)
  }

  #answerOne(target: Target, object: Fields, body: Fields) {
    if (target.method !== 'GET') return this.#write(target, object, body)
    return this.#denied('get', target.plural) ?? { status: 200, body: object }
  }

  #denied(verb: string, plural: string) {
    return this.denied.has(`${verb} ${plural}`) ? forbidden(verb, plural) : null
  }

  #list(plural: string, { namespace, only }: Chosen) {
    const isChosen = (one: Fields): boolean =>
      (namespace === undefined || textAt(one, 'metadata', 'namespace') === namespace) &&
      (only === null || textAt(one, 'metadata', 'name') === only)
    const items = (this.objects.get(plural) ?? []).filter(isChosen)
    const metadata = { resourceVersion: String(this.#version) }
    return this.#denied('list', plural) ?? { status: 200, body: { kind: 'List', apiVersion: 'v1', metadata, items } }
  }

  #create(plural: string, body: Fields) {
    const name = textAt(body, 'metadata', 'name') ?? ''
    const denied = this.#denied('create', plural)
    if (denied !== null) return denied
    if (this.find(plural, name) !== undefined) {
      return refusal(409, 'AlreadyExists', `${plural} "${name}" already exists`, { name, kind: plural })
    }
    this.#version += 1
    this.put(plural, { ...body, metadata: { ...toFields(body['metadata']), uid: `uid-${this.#version}` } })
    return { status: 201, body: this.find(plural, name) }
  }

  #write({ method, plural, name }: Target, object: Fields, body: Fields) {
    const verb = method === 'DELETE' ? 'delete' : 'patch'
    const denied = this.#denied(verb, plural)
    if (denied !== null) return denied
    const wanted = method === 'DELETE' ? body['preconditions'] : body['metadata']
    for (const field of ['uid', 'resourceVersion']) {
      const is = textAt(object, 'metadata', field)
      if (textAt(wanted, field) !== is) return refusal(409, 'Conflict', `Precondition failed: ${field} is ${is ?? ''}`)
    }
    return method === 'DELETE' ? this.#remove(plural, name) : this.#scale(plural, name, body)
  }

  #remove(plural: string, name: string) {
    this.drop(plural, name)
    this.drop('pods', name)
    this.removed.push(name)
    return { status: 200, body: { kind: 'Status', status: 'Success' } }
  }

  #scale(plural: string, name: string, body: Fields) {
    const { spec, data } = body
    this.change(plural, name, data === undefined ? { spec: toFields(spec) } : { data: toFields(data) })
    this.scaled.push(name)
    this.onScaled(name)
    return { status: 200, body: this.find(plural, name) }
  }

  #review(body: Fields): Fields {
    const asked = toFields(at(body, 'spec', 'resourceAttributes'))
    const right = `${textAt(asked, 'verb') ?? ''} ${textAt(asked, 'resource') ?? ''}`
    const allowed = !this.denied.has(right) && !this.unreviewed.has(right)
    return { ...body, status: { allowed } }
  }
}

function keyOf(object: Fields): string {
  return `${textAt(object, 'metadata', 'namespace') ?? ''}/${textAt(object, 'metadata', 'name') ?? ''}`
}

function merged(object: Fields, changes: Fields): Fields {
  return Object.fromEntries(
    [...new Set([...Object.keys(object), ...Object.keys(changes)])].map((key) => {
      const [old, own] = [object[key], changes[key]]
      if (own === undefined) return [key, old]
      const isDeep = typeof own === 'object' && own !== null && !Array.isArray(own)
      return [key, isDeep ? merged(toFields(old), toFields(own)) : own]
    }),
  )
}

function forbidden(verb: string, plural: string) {
  return refusal(403, 'Forbidden', `User "u" cannot ${verb} resource "${plural}" in the namespace "arc-runners"`)
}

/** `details`: which object a real server says is missing. */
function refusal(code: number, reason: string, message: string, details: Fields = {}) {
  return { status: code, body: { kind: 'Status', status: 'Failure', code, reason, message, details } }
}
