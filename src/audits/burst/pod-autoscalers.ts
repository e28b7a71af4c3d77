import type { Finding } from '#/core/audit/finding.ts'
import type { Fleet } from '#/core/fleet/fleet.ts'
import { autoscalersAtMax } from './autoscaler.ts'
import type { JudgedLane } from './judge-lane.ts'

/** A HorizontalPodAutoscaler of the fleet that wants more replicas than it may have. */
export function podAutoscalerFindings(fleet: Fleet, judged: readonly JudgedLane[]): readonly Finding[] {
  const other = judged.find(({ first }) => first !== null && first.class !== 'declared-max-reached')
  return autoscalersAtMax(fleet)
    .filter(({ wantsMore }) => wantsMore)
    .map(({ namespace, name, max, current, targetKind, target }) => ({
      class: 'declared-max-reached',
      severity: 'warning',
      subject: { kind: 'HorizontalPodAutoscaler', namespace, name },
      evidence: [
        `${targetKind} ${target} has ${current} of at most ${max} replicas`,
        'ScalingLimited is True (TooManyReplicas): it would scale higher',
      ],
      hint:
        other === undefined
          ? `raise maxReplicas of ${namespace}/${name} in source, if signalbox audit capacity shows room for more`
          : `lane ${other.view.lane.label} is limited by ${other.first?.class ?? ''}: fix that first, more replicas would not help`,
      fields: { maxReplicas: max, currentReplicas: current },
    }))
}
