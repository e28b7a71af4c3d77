import type { Fields } from '#/core/basics/fields.ts'
import { at, listAt, numberAt, textAt } from '#/core/basics/fields.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { NamedPlace } from '#/core/fleet-file/fleet-file.ts'

/** The Service that a host name means inside the cluster, from a namespace. Null for an external host. */
export function findService(host: string, from: string, isService: (place: NamedPlace) => boolean): NamedPlace | null {
  const [name = '', namespace, kind] = host.split('.')
  if (namespace === undefined) return isService({ namespace: from, name }) ? { namespace: from, name } : null
  if (kind === 'svc') return { namespace, name }
  // A name of two parts may also be an external domain.
  return kind === undefined && isService({ namespace, name }) ? { namespace, name } : null
}

export type ServiceState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unready'; readonly why: readonly string[] }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly source: string }

export type Services = {
  readonly isService: (place: NamedPlace) => boolean
  readonly readState: (place: NamedPlace) => ServiceState
  /** Namespaces that have a Service of this name. */
  readonly namesakes: (name: string) => readonly string[]
  /** The ports that it forwards; null if it forwards any (headless, an alias) or is not known. */
  readonly ports: (place: NamedPlace) => readonly number[] | null
  /** Its cluster IP: logs may show that instead of the name. */
  readonly clusterIp: (place: NamedPlace) => string | null
}

export function readServices(fleet: Fleet): Services {
  const services = new Map(fleet.rows('services').map((service) => [serviceKey(service), service]))
  const slices = Map.groupBy(
    fleet.rows('endpointslices'),
    (slice) =>
      `${textAt(slice, 'metadata', 'namespace')}/${textAt(slice, 'metadata', 'labels', 'kubernetes.io/service-name')}`,
  )
  return {
    isService: ({ namespace, name }) => services.has(`${namespace}/${name}`),
    namesakes: (name) =>
      [...services.values()].flatMap((service) =>
        textAt(service, 'metadata', 'name') === name ? [textAt(service, 'metadata', 'namespace') ?? 'default'] : [],
      ),
    ports: ({ namespace, name }) => forwardedPorts(services.get(`${namespace}/${name}`)),
    clusterIp: ({ namespace, name }) => {
      const address = textAt(services.get(`${namespace}/${name}`), 'spec', 'clusterIP')
      return address === 'None' ? null : address
    },
    readState: ({ namespace, name }) => {
      const key = `${namespace}/${name}`
      return judgeService(fleet, services.get(key), slices.get(key) ?? [])
    },
  }
}

function forwardedPorts(service: Fields | undefined): readonly number[] | null {
  const isDirect = textAt(service, 'spec', 'type') === 'ExternalName' || textAt(service, 'spec', 'clusterIP') === 'None'
  const ports = listAt(service, 'spec', 'ports').flatMap((port) => numberAt(port, 'port') ?? [])
  return isDirect || ports.length === 0 ? null : ports
}

function serviceKey(object: Fields): string {
  return `${textAt(object, 'metadata', 'namespace') ?? 'default'}/${textAt(object, 'metadata', 'name')}`
}

function judgeService(fleet: Fleet, service: Fields | undefined, slices: readonly Fields[]): ServiceState {
  if (service === undefined) {
    return fleet.saw('kubernetes/services') ? { kind: 'absent' } : { kind: 'unknown', source: 'kubernetes/services' }
  }
  // It is an alias of an external host.
  if (textAt(service, 'spec', 'type') === 'ExternalName') return { kind: 'ready' }
  if (!fleet.saw('kubernetes/endpointslices')) return { kind: 'unknown', source: 'kubernetes/endpointslices' }
  const endpoints = slices.flatMap((slice) => listAt(slice, 'endpoints'))
  if (endpoints.some(isReady)) return { kind: 'ready' }
  const count = endpoints.length === 0 ? 'it has no endpoint' : `none of its ${endpoints.length} endpoints is ready`
  const pods = endpoints.flatMap((endpoint) => textAt(endpoint, 'targetRef', 'name') ?? [])
  const named = pods.length === 0 ? [] : [`behind it: ${pods.slice(0, 5).join(', ')}`]
  return { kind: 'unready', why: [count, ...named] }
}

/** An endpoint without a ready condition counts as ready. */
function isReady(endpoint: unknown): boolean {
  return at(endpoint, 'conditions', 'ready') !== false && listAt(endpoint, 'addresses').length > 0
}
