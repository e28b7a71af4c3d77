import { buildLogs } from '#/core/fleet/build-logs.ts'
import type { BuildLog } from '#/core/fleet/build-logs.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { answerAbout } from '#/core/fleet/probe-answer.ts'
import type { ProbedTarget } from '#/core/fleet/probe-answer.ts'
import type { ScaleSet } from '#/core/fleet/scale-set.ts'
import type { ExcerptLine } from '#/core/fleet/snapshot.ts'
import { cacheServices, setSubject, unknown } from './view.ts'
import type { CacheView, CacheUser } from './view.ts'
import { addressComplaints } from './address-complaints.ts'
import type { Complaint } from './address-complaints.ts'
import { findService } from './cache-service.ts'
import { quote } from '#/core/fleet/container-logs.ts'

export function serviceFindings(view: CacheView): readonly Finding[] {
  return cacheServices(view).flatMap(({ namespace, name, namedBy, isDeclared }) => {
    const state = view.services.readState({ namespace, name })
    // A Service that only a variable names may be a wrong address: that is a finding about the set.
    if (state.kind === 'ready' || (state.kind === 'absent' && !isDeclared)) return []
    if (state.kind === 'unknown') {
      return unknown(view.fleet, state.source, `unknown whether ${namespace}/${name} has a ready endpoint`)
    }
    return [
      {
        class: 'service-unready',
        severity: 'warning' as const,
        subject: { kind: 'Service', namespace, name },
        evidence: [...(state.kind === 'absent' ? ['there is no such Service'] : state.why), namedBy],
        hint: `kubectl -n ${namespace} get service,endpointslices,pods; until it is back, builds run without the cache and take longer`,
      },
    ]
  })
}

/** Connection errors as curl, Nix, Go, Node and Python print them. */
const FAILURE =
  /connection refused|timed out|timeout was reached|i\/o timeout|connect(?:ion)? timeout|(?:could not|couldn't) (?:resolve host|connect)|no such host|name or service not known|temporary failure in name resolution|(?:failed|unable) to connect|no route to host|network is unreachable|deadline exceeded|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/i

export const REACH_MENTIONS: readonly string[] = [
  'onnection refused',
  'imed out',
  'imeout was reached',
  'i/o timeout',
  'onnect timeout',
  'onnection timeout',
  'ould not resolve host',
  "ouldn't resolve host",
  'ould not connect',
  "ouldn't connect",
  'no such host',
  'ame or service not known',
  'emporary failure in name resolution',
  'ailed to connect',
  'nable to connect',
  'o route to host',
  'etwork is unreachable',
  'deadline exceeded',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

export function isReachFailure(text: string): boolean {
  return FAILURE.test(text)
}

/** A part of a longer name is another host. A name without dots counts only as part of an address. */
export function namesHost(text: string, host: string, port: number | null): boolean {
  const lower = text.toLowerCase()
  const isSingleLabel = !host.includes('.')
  for (let index = lower.indexOf(host); index !== -1; index = lower.indexOf(host, index + 1)) {
    const before = lower.slice(Math.max(0, index - 2), index)
    const after = lower.slice(index + host.length, index + host.length + 7)
    const isWhole = !/[a-z0-9.-]$/.test(before) && !/^(?:[a-z0-9-]|\.[a-z0-9])/.test(after)
    const isAddress = before === '//' || (port !== null && new RegExp(`^:${port}(?!\\d)`).test(after))
    if (isWhole && (!isSingleLabel || isAddress)) return true
  }
  return false
}

export function unreachableFindings(view: CacheView): readonly Finding[] {
  const complaints = [...addressComplaints(view), ...readLogComplaints(view), ...readProbeComplaints(view)]
  const groups = Map.groupBy(complaints, ({ user, host }) => `${user.set.namespace}/${user.set.name} ${host}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { set } = first.user
    return [
      {
        class: 'unreachable',
        severity: 'warning' as const,
        subject: setSubject(set),
        evidence: [...new Set(own.flatMap(({ evidence }) => evidence))].slice(0, MOST_EVIDENCE),
        hint:
          first.fix ??
          `kubectl -n ${set.namespace} get networkpolicies; check whether ${first.host} answers and whether a policy allows the runners of ${set.name} to reach it (signalbox audit cache --probe checks from inside)`,
        fields: { host: first.host, by: [...new Set(own.map(({ by }) => by))] },
      },
    ]
  })
}

const MOST_EVIDENCE = 8
/** Older lines are out of date. */
const RECENT_MS = 3_600_000

function readLogComplaints(view: CacheView): readonly Complaint[] {
  const users = new Map<ScaleSet, CacheUser>(view.users.map((user) => [user.set, user]))
  return buildLogs(view.fleet).flatMap((log) => {
    const user = log.set === null ? undefined : users.get(log.set)
    return user === undefined ? [] : findComplaints(view, user, log)
  })
}

function findComplaints(view: CacheView, user: CacheUser, { source, lines }: BuildLog): readonly Complaint[] {
  const { now } = view.fleet
  const isRecent = ({ at }: ExcerptLine): boolean => now - (at ?? now) < RECENT_MS
  const failed = lines.filter((line) => isRecent(line) && isReachFailure(line.text))
  return listHosts(view, user).flatMap(({ host, port, names }) => {
    const line = failed.findLast(({ text }) => names.some((name) => namesHost(text, name, port)))
    return line === undefined ? [] : [{ user, host, evidence: [`${source}: ${quote(line.text)}`], by: 'log' }]
  })
}

type KnownHost = { readonly host: string; readonly port: number | null; readonly names: readonly string[] }

/** The cache hosts with all names that a log line may use. */
function listHosts({ declared, services }: CacheView, { set, addresses }: CacheUser): readonly KnownHost[] {
  const own = addresses.map(({ host, port }) => {
    const place = findService(host, set.namespace, services.isService)
    const address = place === null ? null : services.clusterIp(place)
    return { host, port, names: address === null ? [host] : [host, address] }
  })
  const { service } = declared
  if (service === undefined) return own
  const short = `${service.name}.${service.namespace}`
  const isKnown = own.some(({ host }) => host === short || host.startsWith(`${short}.`))
  const names = [`${short}.svc`, `${short}.svc.cluster.local`, ...listedAddress(services.clusterIp(service))]
  return isKnown ? own : [...own, { host: `${short}.svc`, port: null, names }]
}

function listedAddress(address: string | null): readonly string[] {
  return address === null ? [] : [address]
}

const UNREACHED: ReadonlyMap<ProbedTarget['result'], string> = new Map([
  ['refused', 'refuses the connection'],
  ['timeout', 'does not answer in time'],
  ['unresolved', 'cannot be resolved in the cluster'],
  ['failed', 'cannot be reached'],
])

function readProbeComplaints({ fleet, users }: CacheView): readonly Complaint[] {
  return users.flatMap((user) => {
    const answer = answerAbout(fleet.snapshot.probes, user.set)
    return (answer?.targets ?? []).flatMap(({ host, port, result }) => {
      const problem = UNREACHED.get(result)
      const evidence = [`from probe pod ${answer?.pod}: ${host}:${port} ${problem}`]
      return problem === undefined ? [] : [{ user, host, evidence, by: 'probe' }]
    })
  })
}
