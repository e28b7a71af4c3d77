import { CommandFailure } from '#/cli/frame/command-failure.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { printable } from '#/cli/output/printable.ts'
import { describeReason } from '#/core/basics/observed.ts'
import { namesSet } from '#/core/fleet-file/fleet-file.ts'
import type { SetName } from '#/core/fleet/set-parts.ts'
import type { LaneReads } from '#/runtime/lane/read-lane.ts'
import { listSets } from '#/runtime/lane/read-lane.ts'

/** The one set that the name means. Throws a `CommandFailure` if there is none, or more than one. */
export async function findSet(asked: string, reads: LaneReads): Promise<SetName> {
  const slash = asked.indexOf('/')
  if (slash > 0 && slash < asked.length - 1) return { namespace: asked.slice(0, slash), name: asked.slice(slash + 1) }
  const list = await listSets(reads)
  reads.signal.throwIfAborted()
  if (list.kind === 'blind') {
    throw new CommandFailure(EXIT.blind, `the scale sets could not be read: ${describeReason(list.reason)}`, [
      'name it with its namespace: NAMESPACE/NAME',
    ])
  }
  const sets = (list.kind === 'seen' ? list.value : []).map(({ metadata: { name, namespace = 'default' } }) => {
    return { namespace, name }
  })
  const found = sets.filter((set) => namesSet([asked], set))
  const [first, ...others] = found
  if (first === undefined) throw noSuchSet(asked, sets)
  if (others.length === 0) return first
  throw new CommandFailure(EXIT.usage, `${found.length} scale sets are called ${printable(asked)}`, [
    `name one of them: ${found.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')}`,
  ])
}

const MOST_SHOWN = 20

export function noSuchSet(asked: string, known: readonly SetName[]): CommandFailure {
  const names = known.slice(0, MOST_SHOWN).map(({ namespace, name }) => `${namespace}/${name}`)
  return new CommandFailure(EXIT.blind, `no such scale set: ${printable(asked)}`, [
    names.length === 0 ? 'list them: kubectl get autoscalingrunnersets -A' : `known scale sets: ${names.join(', ')}`,
  ])
}
