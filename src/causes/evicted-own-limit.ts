import { WEIGHT, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { evictions, hasSucceeded, leftBeforeEviction, limitedByUnknownState } from '#/core/why/weighing/shared-facts.ts'
import { thePod, clueField, upper, whileWorking } from '#/core/why/wording.ts'

export const evictedOwnLimit: Cause = {
  id: 'evicted-own-limit',
  kind: 'death',
  meaning: 'the pod went over its own ephemeral-storage or volume limit',
  distinguishedBy:
    'The node had enough: the message names the limit of the pod, a container or an emptyDir. There is no DisruptionTarget condition.',
  settledBy: ['kubernetes/pods', 'kubernetes/events', 'journal'],
  isProvenByStatus: true,
  weigh: (d) => {
    const { own, node } = evictions(d)
    return [
      ...supports(0.97, own),
      ...supports(WEIGHT.medium, own.length > 0 ? d.subjectClues('short-grace') : []),
      ...contradicts(node),
      ...contradicts(hasSucceeded(d)),
      ...contradicts(leftBeforeEviction(d)),
      ...limitedByUnknownState(d),
    ]
  },
  actor: () => 'kubelet',
  sentence: (d) => {
    const volume = clueField(d, 'evicted-for-own-limit', 'volume')
    return `${upper(thePod(d))} exceeded its own storage limit${volume === null ? '' : ` (volume ${volume})`}${whileWorking(d)}, and the kubelet evicted it.`
  },
  next: (d) => {
    const volume = clueField(d, 'evicted-for-own-limit', 'volume')
    return [
      volume === null
        ? 'Raise limits.ephemeral-storage of the runner, or clean up between steps.'
        : `Raise sizeLimit of emptyDir ${volume} (${clueField(d, 'evicted-for-own-limit', 'size') ?? 'its limit'}), or make the job write less to it.`,
    ]
  },
}
