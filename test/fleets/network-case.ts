import { network } from '#/audits/network/audit.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { WHOLE_FLEET } from '#/core/audit/audit.ts'
import type { Question } from '#/core/audit/audit.ts'
import type { Finding } from '#/core/audit/finding.ts'
import type { Snapshot } from '#/core/fleet/snapshot.ts'
import { seen } from '#/core/basics/observed.ts'
import { dead, buildLease, buildNode } from './cluster-parts.ts'
import { NOW, buildFleet } from './build-fleet.ts'
import type { Lists } from './build-fleet.ts'

/** A runner on sting that ended ten minutes ago: the window is 30 to 8 minutes before now. */
export const RUNNER = 'lane-x7k2p-runner-aaaaa'
export const END = 10

export type NetworkCase = {
  readonly lists?: Lists
  readonly question?: Partial<Question>
  readonly others?: Partial<Snapshot>
  /** Added to the runner; nodes replace default nodes of the same name. */
  readonly pods?: readonly Fields[]
  readonly nodes?: readonly Fields[]
}

export function asked({
  lists = {},
  question = {},
  others = {},
  pods = [],
  nodes = [],
}: NetworkCase): readonly Finding[] {
  const named = new Set(nodes.map((node) => String((node['metadata'] as Fields)['name'])))
  const fleet = buildFleet(
    {
      nodes: [...['sting', 'honey'].filter((name) => !named.has(name)).map((name) => buildNode(name)), ...nodes],
      leases: [buildLease('sting', 0.1), buildLease('honey', 0.1)],
      pods: [dead(RUNNER, END), ...pods],
      ...lists,
    },
    others,
  )
  return network.examine(fleet, { ...WHOLE_FLEET, runner: RUNNER, ...question })
}

export const classes = (own: NetworkCase): readonly string[] => asked(own).map((one) => one.class)

export const findFinding = (own: NetworkCase, name: string): Finding | undefined =>
  asked(own).find((one) => one.class === name)

export const at = (minutes: number): number => NOW - minutes * 60_000

/** One log line, `minutes` before now. */
export function logged(minutes: number, text: string, container = 'manager'): Partial<Snapshot> {
  const excerpt = { namespace: 'arc-systems', pod: 'arc', container, previous: false }
  return { logs: seen([{ ...excerpt, firstAt: null, lastAt: null, lines: [{ at: at(minutes), text }] }]) }
}
