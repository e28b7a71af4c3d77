import { judgeLanes } from './judge-lanes.ts'
import type { Caveats } from './room-findings.ts'
import { roomFindings } from './room-findings.ts'
import type { Audit, Question } from '#/core/audit/audit.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import type { Lane } from '#/core/fleet/lane.ts'
import { wasRefused } from '#/core/audit/refused.ts'

/** Sources of what takes room or refuses pods; an audit of files may lack any of them. */
const TAKERS = [
  'kubernetes/pods',
  'kubernetes/resourcequotas',
  'kubernetes/limitranges',
  'kubernetes/runtimeclasses',
  'fleet',
] as const

function listCaveats(fleet: Fleet): Caveats {
  const isBare = !fleet.saw('kubernetes/pods') && !fleet.saw('kubernetes/daemonsets')
  const daemonsRefused = !fleet.saw('kubernetes/pods') && wasRefused(fleet, 'kubernetes/daemonsets')
  return {
    notes: isBare ? ['neither pods nor DaemonSets were read: what else runs on the nodes is not counted'] : [],
    isCertain: !daemonsRefused && !TAKERS.some((source) => wasRefused(fleet, source)),
  }
}

/** A set with several labels gives several lanes with the same runners: judge one of them. */
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
    'Places the declared number of runners on the nodes that fit them, next to daemon pods and everything else there that is not a runner, with the overhead of their runtime class and under the quotas and LimitRanges of their namespace. First each lane alone, then all lanes at their maximum at once. Excluded pools get no runners, storage pools only those that select them; cordoned and not ready nodes are left out and listed.',
  reads: [
    { source: 'kubernetes/autoscalingrunnersets', weight: 'needed', gives: 'the maxima, and what a runner requests' },
    { source: 'kubernetes/nodes', weight: 'needed', gives: 'what the nodes have, and which pods fit them' },
    { source: 'kubernetes/pods', weight: 'useful', gives: 'daemon pods and other pods that take room' },
    { source: 'kubernetes/daemonsets', weight: 'useful', gives: 'daemon pods, if no pods were read' },
    { source: 'kubernetes/deployments', weight: 'useful', gives: 'whether an empty pod list is incomplete' },
    { source: 'kubernetes/runtimeclasses', weight: 'useful', gives: 'the overhead of a runtime class' },
    { source: 'kubernetes/resourcequotas', weight: 'useful', gives: 'what a namespace may use' },
    { source: 'kubernetes/limitranges', weight: 'useful', gives: 'the defaults and bounds of a namespace' },
    { source: 'fleet', weight: 'useful', gives: 'declared maxima and the roles of the pools' },
  ],
  classes: [
    {
      class: 'fits',
      severity: 'info',
      meaning: 'the declared maximum fits, alone and with all other lanes at theirs',
      next: 'Nothing.',
    },
    {
      class: 'fits-not-simultaneously',
      severity: 'warning',
      meaning: 'a runner fits, but not the declared maximum: of this lane alone, or of all lanes together',
      next: 'Lower the maximum, or add nodes.',
    },
    {
      class: 'impossible-single-pod',
      severity: 'critical',
      meaning: 'not even one runner can ever be scheduled: it requests more than any node has, or is refused',
      next: 'Lower its requests, or add a larger node.',
    },
    {
      class: 'slots-bound',
      severity: 'warning',
      meaning: 'the declared maximum does not fit because the nodes run out of pod slots first',
      next: 'Add nodes or raise maxPods; more cores or memory do not help.',
    },
  ],
  applies: (fleet) => !fleet.saw('kubernetes/autoscalingrunnersets') || fleet.sets.length > 0,
  examine: (fleet, question) => {
    if (!fleet.saw('kubernetes/autoscalingrunnersets') || !fleet.saw('kubernetes/nodes')) return []
    const caveats = listCaveats(fleet)
    return judgeLanes(fleet, lanesToJudge(fleet, question)).flatMap((room) => roomFindings(room, caveats))
  },
}
