import { blind } from '#/core/basics/observed.ts'
import { GATES } from '#/gates/index.ts'
import type { ActMeans, ActWarrant } from '#/runtime/act/means.ts'
import type { Ledger } from '#/ports/store/ledger.ts'
import type { World } from './world.ts'

/** Called before each call of a port. What it does happens between two steps; what it throws is a crash there. */
export type Between = (call: string) => void | Promise<void>

export function meansIn(
  world: World,
  ledger: Ledger,
  between: Between = () => undefined,
  /** Before each source of one read. */
  betweenSources: Between = () => undefined,
): ActMeans {
  return {
    ledger: {
      begin: async (attempt) => (await between('begin'), ledger.begin(attempt)),
      advance: async (row, step) => (await between(`advance ${step.step}`), ledger.advance(row, step)),
      end: async (row, end) => (await between('end'), ledger.end(row, end)),
      record: async (attempt) => (await between('record'), ledger.record(attempt)),
      list: async (filter) => ledger.list(filter),
    },
    observe: async (candidate) => (await between('observe'), world.observe(candidate, betweenSources)),
    storeEvidence: async ({ candidate }) => {
      await between('store evidence')
      const id = world.storeEvidence(candidate.runners.map(({ name }) => name))
      return id === null ? blind('unreachable', 'the store does not answer') : { kind: 'stored', id }
    },
    kubernetes: {
      remove: async (target) => (await between('remove'), world.remove(target)),
      scaleToZero: async (target) => (await between('scale'), world.scaleToZero(target)),
    },
    github: { deregister: async ({ id }) => (await between('deregister'), world.deregister(id)) },
    gates: GATES,
    clock: { now: () => world.now, sleep: async () => undefined },
    signal: new AbortController().signal,
  }
}

export const WARRANT: ActWarrant = {
  actor: 'person',
  run: 'run-1',
  epoch: null,
  cap: { run: 10, set: 10 },
  abandonedAfterMs: 60_000,
}
