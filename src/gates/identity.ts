import { blind, none, seen } from '#/core/basics/observed.ts'
import type { Identity, ObjectNow } from '#/core/interlock/candidate-snapshot.ts'
import { EXAMPLE_CANDIDATE } from '#/core/interlock/example-candidate.ts'
import { cannotSee, holds, refuses } from '#/core/interlock/gate.ts'
import type { Gate } from '#/core/interlock/gate.ts'
import { readAt } from '#/core/interlock/reading.ts'

const { now, proposed } = EXAMPLE_CANDIDATE
const withObject = (change: Partial<ObjectNow>) => ({
  object: readAt(now, seen({ ...proposed, isDeleting: false, ...change })),
})

function findDifference(was: Identity, is: Identity): string | null {
  if (was.uid !== is.uid)
    return `its UID is ${is.uid}, the candidate's was ${was.uid}: it is another object of that name`
  if (was.generation !== is.generation) {
    return `its generation is ${is.generation ?? 'unknown'}, the candidate's was ${was.generation ?? 'unknown'}`
  }
  return was.owner === is.owner
    ? null
    : `it is owned by ${is.owner ?? 'nobody'}, the candidate by ${was.owner ?? 'nobody'}`
}

export const identity: Gate = {
  id: 'identity',
  proof: 'UID, generation and owner are those of the candidate',
  about:
    'A name can be used again: a new runner of the same name is another one. So the object is compared with the candidate by UID, generation and owner, and one that is being deleted already is left to who deletes it. A wedged set must still be the one that was proposed: without a listener, and without a runner that nobody checked. At the act the policy must still propose the candidate: its reason may be gone although every other gate holds.',
  toSeeIt: 'grant get on the object (deploy/observe/clusterrole.yaml)',
  check: ({ object, proposed: was }) => {
    const { observed } = object
    if (observed.kind === 'blind') return cannotSee(observed.reason, object)
    if (observed.kind === 'none') return refuses('it is gone', object)
    const is = observed.value
    if (is.uid === null || was.uid === null) {
      return cannotSee(blind('malformed', 'the object was read without a UID').reason, object)
    }
    const difference = findDifference(was, is)
    if (difference !== null) return refuses(difference, object)
    if (is.isDeleting) return refuses('it is being deleted already', object)
    if (is.outgrown !== undefined) return refuses(is.outgrown, object)
    return holds(`UID ${is.uid}, generation ${is.generation ?? 'unknown'}, owned by ${is.owner ?? 'nobody'}`, object)
  },
  examples: {
    holds: [{ when: 'the object is the one that was proposed', candidate: {} }],
    refuses: [
      {
        when: 'an object of the same name with another UID exists',
        candidate: withObject({ uid: '33333333-3333-4333-8333-333333333333' }),
      },
      { when: 'its spec was changed', candidate: withObject({ generation: 2 }) },
      { when: 'its owner is another', candidate: withObject({ owner: 'EphemeralRunnerSet lane-a-z9999' }) },
      { when: 'it is being deleted', candidate: withObject({ isDeleting: true }) },
      {
        when: 'it is one of a wedged set that has a listener again',
        candidate: withObject({
          outgrown: 'its set is no longer wedged: AutoscalingListener lane-a-754b578d-listener',
        }),
      },
      { when: 'it is gone', candidate: { object: readAt(now, none()) } },
    ],
    blind: [
      { when: 'it could not be read', candidate: { object: readAt(now, blind('forbidden', '403')) } },
      { when: 'it has no UID', candidate: withObject({ uid: null }) },
    ],
  },
}
