import { judgeLanes } from './judge-lanes.ts'
import type { Caveats } from './room-findings.ts'
import { roomFindings } from './room-findings.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { wasRefused } from '#/core/audit/refused.ts'

/** What may take room away or refuse a pod; each may be missing in an audit of files. */
const TAKERS = [
  'kubernetes/pods',
  'kubernetes/resourcequotas',
  'kubernetes/limitranges',
  'kubernetes/runtimeclasses',
  'fleet',
] as const

function caveatsOf(fleet: Fleet): Caveats {
  const isBare = !fleet.saw('kubernetes/pods') && !fleet.saw('kubernetes/daemonsets')
  const daemonsRefused = !fleet.saw('kubernetes/pods') && wasRefused(fleet, 'kubernetes/daemonsets')
  return {
    notes: isBare ? ['neither pods nor DaemonSets were read: what else stands on the nodes is not counted'] : [],
    isCertain: !daemonsRefused && !TAKERS.some((source) => wasRefused(fleet, source)),
  }
}

/** A set with several labels makes several lanes of the same runners: one of them is enough. */
function lanesToJudge(fleet: Fleet, { labels, scaleSets }: Question): readonly Lane[] {
  const asked = new Set(labels.map((label) => label.toLowerCase()))
  const wanted = fleet.lanes.filter(
    ({ label, sets }) =>
      (asked.size === 0 || asked.has(label.toLowerCase())) &&
      (scaleSets.length === 0 || sets.some((set) => namesSet(scaleSets, set))),
  )
  const seen = new Set<string>()
  return wanted.filter(({ sets, isDeclared }) => {
    const key = sets.map(({ namespace, name }) => `${namespace}/${name}`).join(' ')
    if (sets.length === 0 || (seen.has(key) && !isDeclared)) return false
    seen.add(key)
    return true
  })
}

export const capacity: Audit = {
  id: 'capacity',
  asks: 'would the declared maximum fit?',
  about:
    'Puts the declared number of runners onto the nodes on which they may stand, beside daemon pods and whatever else runs there that is no runner, with the overhead of their runtime and under the quotas and LimitRanges of their namespace. First each lane as if it were alone, then all at their maximum at once. Pools that are declared as excluded carry nobody, storage pools only those that pick them out; cordoned nodes and those that are not ready are left out and named.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', tells: 'the maxima, and what a runner asks for' },
    { source: 'kubernetes/nodes', weight: 'needed', tells: 'what the nodes have, and whom they let in' },
    { source: 'kubernetes/pods', weight: 'useful', tells: 'daemon pods and others that take room' },
    { source: 'kubernetes/daemonsets', weight: 'useful', tells: 'daemon pods, where no pods were read' },
    { source: 'kubernetes/deployments', weight: 'useful', tells: 'that an empty list of pods is not the whole one' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', tells: 'the overhead of a runtime' },
    { source: 'kubernetes/resourcequotas', weight: 'useful', tells: 'what a namespace may have' },
    { source: 'kubernetes/limitranges', weight: 'useful', tells: 'what a namespace adds to a pod or refuses' },
    { source: 'fleet', weight: 'useful', tells: 'declared maxima and the roles of the pools' },
  ],
  classes: [
    {
      class: 'fits',
      severity: 'info',
      meaning: 'the declared maximum fits, alone and beside all others at theirs',
      next: 'Nothing.',
    },
    {
      class: 'fits-not-simultaneously',
      severity: 'warning',
      meaning: 'a runner fits, but not as many at once as are declared: of this lane, or of all lanes together',
      next: 'Lower the maximum, or add nodes.',
    },
    {
      class: 'impossible-single-pod',
      severity: 'critical',
      meaning: 'not even one runner can ever stand anywhere: it asks for more than any node has, or is refused',
      next: 'Lower what it asks for, or add a node that has it.',
    },
    {
      class: 'slots-bound',
      severity: 'warning',
      meaning: 'the declared maximum does not fit because the pod slots of the nodes end first',
      next: 'Add nodes or raise maxPods; more cores or memory do not help.',
    },
  ],
  applies: (fleet) => !fleet.saw('kubernetes/autoscalingrunnersets') || fleet.sets.length > 0,
  examine: (fleet, question) => {
    if (!fleet.saw('kubernetes/autoscalingrunnersets') || !fleet.saw('kubernetes/nodes')) return []
    const caveats = caveatsOf(fleet)
    return judgeLanes(fleet, lanesToJudge(fleet, question)).flatMap((room) => roomFindings(room, caveats))
  },
}
