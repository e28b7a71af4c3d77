import { blind, none, seen } from '#/core/basics/observed.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now } = EXAMPLE_CANDIDATE

export const listenerKnown: Gate = {
  id: 'listener-known',
  proof: "the set's listener was seen, up or down; with it down `no-job-on-record` proves nothing",
  about:
    'The listener writes the job fields. Whether they can be trusted is known only if the listener was seen. A runner whose set is gone has no listener that could be looked at, and is refused.',
  toSeeIt:
    'grant list on autoscalingrunnersets, autoscalinglisteners and pods, also in the namespace of the controller',
  check: ({ listener }) => {
    const { observed } = listener
    if (observed.kind === 'blind') return cannotSee(observed.reason, listener)
    if (observed.kind === 'none') return refuses('its scale set is gone: nothing would record its job', listener)
    const { isDown, condition, evidence } = observed.value
    return holds(`the listener is ${isDown ? `down (${condition})` : condition}: ${evidence}`, listener)
  },
  examples: {
    holds: [
      { when: 'the listener runs', candidate: {} },
      {
        when: 'the listener is missing',
        candidate: {
          listener: readAt(
            now,
            seen({ condition: 'missing', isDown: true, evidence: 'no AutoscalingListener names arc-runners/lane-a' }),
          ),
        },
      },
    ],
    refuses: [{ when: 'the scale set is gone', candidate: { listener: readAt(now, none()) } }],
    blind: [
      {
        when: 'AutoscalingListeners could not be read',
        candidate: { listener: readAt(now, blind('forbidden', 'AutoscalingListeners could not be read')) },
      },
    ],
  },
}
