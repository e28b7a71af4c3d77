import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import { findNamespaces } from '#/cli/doctor/namespaces.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { mapSeen } from '#/core/basics/observed.ts'
import type { ObjectList } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const COST = 'Runner pods are still watched, but scale sets and listeners are not audited.'
const GRANT = 'Grant list on autoscalingrunnersets (actions.github.com).'
const VERSION_LABEL = 'app.kubernetes.io/version'

export const arc: Check = {
  id: 'arc',
  title: 'ARC',
  check: async (context) => {
    const version = await context.clusterVersion()
    if (version.kind !== 'seen' || context.kubernetes === null) return skip('cannot reach the cluster')
    const served = await servesArc(context)
    if (served.kind === 'blind') return warn(served.reason.detail, { cost: COST, fix: 'Let signalbox read /apis.' })
    if (served.kind === 'none' || !served.value.scaleSets) {
      const old = served.kind === 'seen' && served.value.legacy
      return warn(old ? 'only the old ARC (actions.summerwind.dev) is installed' : 'not installed in this cluster', {
        cost: COST,
        fix: 'Ignore this if you do not use ARC. Otherwise install its scale sets, or use another --context.',
      })
    }
    return judgeSets(await listSets(context), { isServer: context.config.kubernetes.source.kind === 'in-cluster' })
  },
}

type ServedGroups = { readonly scaleSets: boolean; readonly legacy: boolean }

async function servesArc({ kubernetes, signal }: DoctorContext): Promise<Observed<ServedGroups>> {
  const groups = (await kubernetes?.raw('/apis', signal)) ?? { kind: 'none' }
  return mapSeen(groups, ({ text }) => ({
    scaleSets: text.includes('"actions.github.com"'),
    legacy: text.includes('"actions.summerwind.dev"'),
  }))
}

async function listSets(context: DoctorContext): Promise<readonly Observed<ObjectList>[]> {
  const namespaces = await findNamespaces(context)
  const { kubernetes, signal } = context
  if (kubernetes === null) return []
  const resource = RESOURCES.autoscalingRunnerSets
  return Promise.all(
    namespaces.map((namespace) =>
      kubernetes.list(namespace === undefined ? { resource } : { resource, namespace }, signal),
    ),
  )
}

export function judgeSets(
  lists: readonly Observed<ObjectList>[],
  { isServer }: { /** Which records deaths, and is not asked about the fleet. */ readonly isServer: boolean },
): CheckResult {
  const reasons = lists.flatMap((list) => (list.kind === 'blind' ? [list.reason] : []))
  const unread = reasons.find(({ code }) => code !== 'forbidden')
  if (unread !== undefined)
    return warn(unread.detail, { cost: COST, fix: 'Run signalbox doctor again, and check Kubernetes above.' })
  if (reasons.length > 0) {
    return isServer
      ? { kind: 'ok', detail: 'installed; its scale sets are not read here, because only audits need them', fix: GRANT }
      : warn('installed, but scale sets cannot be listed', { cost: COST, fix: GRANT })
  }
  const sets = lists.flatMap((list) => (list.kind === 'seen' ? list.value.items : []))
  if (sets.length === 0) {
    return warn('installed, but there is no scale set in the checked namespaces', {
      cost: 'There are no runners to watch.',
      fix: 'Use -n for the namespaces of the runners, or -A for all.',
    })
  }
  const versions = [...new Set(sets.map(({ metadata }) => metadata.labels?.[VERSION_LABEL] ?? 'unknown'))].sort()
  return ok(`${sets.length} scale ${sets.length === 1 ? 'set' : 'sets'} of version ${versions.join(', ')}`)
}
