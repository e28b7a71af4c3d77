import { type Check, type DoctorContext, ok, skip, warn } from '#/cli/doctor/check.ts'
import { namespacesOf } from '#/cli/doctor/namespaces.ts'
import { type Observed, mapSeen } from '#/core/observed.ts'
import type { ObjectList } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'

const COST = 'Runner pods are still watched, but scale sets, listeners and generations are not audited.'
const VERSION_LABEL = 'app.kubernetes.io/version'

export const arc: Check = {
  id: 'arc',
  title: 'ARC',
  check: async (context) => {
    const version = await context.clusterVersion()
    if (version.kind !== 'seen' || context.kubernetes === null) return skip('the cluster cannot be reached')
    const served = await servesArc(context)
    if (served.kind === 'blind') return warn(served.reason.detail, { cost: COST, mend: 'Let signalbox read /apis.' })
    if (served.kind === 'none' || !served.value.scaleSets) {
      const old = served.kind === 'seen' && served.value.legacy
      return warn(old ? 'only the old ARC (actions.summerwind.dev) is here' : 'not installed in this cluster', {
        cost: COST,
        mend: 'Nothing to do if your runners are not run by ARC; else install its scale sets, or choose another --context.',
      })
    }
    return describeSets(await listSets(context))
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
  const namespaces = await namespacesOf(context)
  const { kubernetes, signal } = context
  if (kubernetes === null) return []
  const resource = RESOURCES.autoscalingRunnerSets
  return Promise.all(
    namespaces.map((namespace) =>
      kubernetes.list(namespace === undefined ? { resource } : { resource, namespace }, signal),
    ),
  )
}

function describeSets(lists: readonly Observed<ObjectList>[]) {
  const blind = lists.find((list) => list.kind === 'blind')
  if (blind?.kind === 'blind') {
    return warn(blind.reason.detail, {
      cost: COST,
      mend: 'Grant list on autoscalingrunnersets (actions.github.com).',
    })
  }
  const sets = lists.flatMap((list) => (list.kind === 'seen' ? list.value.items : []))
  if (sets.length === 0) {
    return warn('installed, and there is no scale set in the namespaces that are looked at', {
      cost: 'There is nothing to watch there.',
      mend: 'Name the namespaces of the runners with -n, or look at all with -A.',
    })
  }
  const versions = [...new Set(sets.map(({ metadata }) => metadata.labels?.[VERSION_LABEL] ?? 'unknown'))].sort()
  return ok(`${sets.length} scale ${sets.length === 1 ? 'set' : 'sets'} of version ${versions.join(', ')}`)
}
