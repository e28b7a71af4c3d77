import { findService } from './cache-service.ts'
import type { CacheUser, CacheView } from './view.ts'
import type { CacheAddress } from './cache-variables.ts'
import { listAt } from '#/core/basics/fields.ts'
import type { NamedPlace } from '#/core/fleet-file/fleet-file.ts'

/** Why the runners of a set cannot reach a host of their cache. */
export type Complaint = {
  readonly user: CacheUser
  readonly host: string
  readonly evidence: readonly string[]
  readonly by: string
  /** What to change, where the cause is known. */
  readonly fix?: string
}

/** Addresses that cannot answer, whoever asks: a Service that does not exist, or a port that it does not forward. */
export function addressComplaints(view: CacheView): readonly Complaint[] {
  if (!view.fleet.saw('kubernetes/services')) return []
  return view.users.flatMap((user) => user.addresses.flatMap((address) => judgeAddress(view, user, address)))
}

function judgeAddress(view: CacheView, user: CacheUser, address: CacheAddress): readonly Complaint[] {
  const { services, declared } = view
  const place =
    findService(address.host, user.set.namespace, services.isService) ?? misplacedName(view, user, address.host)
  if (place === null) return []
  if (services.isService(place)) return wrongPort(view, { user, address, place })
  const { service } = declared
  const isDeclared = service?.namespace === place.namespace && service.name === place.name
  return isDeclared ? [] : [absentService(view, { user, address, place })]
}

/** A short name means a Service of the runner's own namespace, and this one is in another. */
function misplacedName({ services }: CacheView, { set }: CacheUser, host: string): NamedPlace | null {
  const isShort = /^[a-z][a-z0-9-]*$/.test(host) && listAt(set.template, 'hostAliases').length === 0
  return isShort && services.namesakes(host).length > 0 ? { namespace: set.namespace, name: host } : null
}

type Used = { readonly user: CacheUser; readonly address: CacheAddress; readonly place: NamedPlace }

function describeUse({ user, address: { from, host, port } }: Used): string {
  return `${from} of ${user.set.name} names ${host}${port === null ? '' : `:${port}`}`
}

function absentService({ services }: CacheView, used: Used): Complaint {
  const { user, address, place } = used
  const full = `${place.namespace}/${place.name}`
  const [first, ...more] = services.namesakes(place.name)
  return {
    user,
    host: address.host,
    by: 'services',
    evidence: [
      `${describeUse(used)}, but there is no Service ${full}`,
      ...(first === undefined ? [] : [`a Service of this name is in ${[first, ...more].join(', ')}`]),
    ],
    fix: `correct the host in ${address.from} of ${user.set.name}: ${full} does not exist${first === undefined ? '' : `, ${first}/${place.name} does`}`,
  }
}

function wrongPort({ services }: CacheView, used: Used): readonly Complaint[] {
  const { user, address, place } = used
  const ports = services.ports(place)
  if (address.port === null || ports === null || ports.includes(address.port)) return []
  const full = `${place.namespace}/${place.name}`
  const known = `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`
  return [
    {
      user,
      host: address.host,
      by: 'services',
      evidence: [`${describeUse(used)}, but the Service ${full} has only ${known}`],
      fix: `correct the port in ${address.from} of ${user.set.name}, or add ${address.port} to the Service ${full}`,
    },
  ]
}
