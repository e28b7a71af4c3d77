import { describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import type { ActTarget, RemovalOutcome } from '#/ports/kubernetes-acts.ts'
import type { DeleteRequest, PatchRequest, WriteOutcome } from '#/ports/kubernetes.ts'
import { RESOURCES } from '#/ports/kubernetes-resources.ts'
import { kubernetesActs } from './acts.ts'

const TARGET: ActTarget = {
  kind: 'EphemeralRunner',
  namespace: 'arc-runners',
  name: 'lane-a-x7k2p-runner-9fqzt',
  uid: 'uid-1',
  resourceVersion: '42',
}
const { signal } = new AbortController()

function answering(outcome: WriteOutcome) {
  const asked: (DeleteRequest | PatchRequest)[] = []
  const answer = async (request: DeleteRequest | PatchRequest): Promise<WriteOutcome> => {
    asked.push(request)
    return outcome
  }
  return { asked, acts: kubernetesActs({ delete: answer, patch: answer }) }
}

describe('an act on the cluster', () => {
  it('names the UID and the version of what it deletes', async () => {
    const { asked, acts } = answering({ kind: 'done', object: null })
    await acts.remove(TARGET, signal)
    const { namespace, name } = TARGET
    const preconditions = { uid: 'uid-1', resourceVersion: '42' }
    expect(asked).toEqual([{ resource: RESOURCES.ephemeralRunners, namespace, name, preconditions }])
  })

  it('names the UID and the version of what it scales to 0', async () => {
    const { asked, acts } = answering({ kind: 'done', object: null })
    await acts.scaleToZero({ ...TARGET, kind: 'EphemeralRunnerSet' }, signal)
    expect(asked).toMatchObject([
      {
        resource: RESOURCES.ephemeralRunnerSets,
        preconditions: { uid: 'uid-1', resourceVersion: '42' },
        patch: { kind: 'merge', changes: { spec: { replicas: 0 } } },
      },
    ])
  })

  it.each<readonly [WriteOutcome, RemovalOutcome]>([
    [
      { kind: 'conflict', why: 'changed', message: 'modified' },
      { kind: 'changed', message: 'modified' },
    ],
    [{ kind: 'gone' }, { kind: 'gone' }],
    [
      { kind: 'forbidden', message: '403' },
      { kind: 'declined', message: '403' },
    ],
    [
      { kind: 'refused', message: 'a policy' },
      { kind: 'declined', message: 'a policy' },
    ],
    [
      { ...blind('timeout', 'no answer'), applied: 'unknown' },
      { ...blind('timeout', 'no answer'), applied: 'unknown' },
    ],
  ])('reads the answer %j as %j', async (answer, expected) => {
    expect(await answering(answer).acts.remove(TARGET, signal)).toEqual(expected)
  })
})
