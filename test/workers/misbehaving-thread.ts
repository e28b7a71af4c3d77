import type { Parcel } from '#/adapters/workers/parcel.ts'
import { serveTasks } from '#/adapters/workers/serve-tasks.ts'

/** Tasks of every kind, for the tests of the pool. */
const tasks = {
  echo: async (content: Uint8Array<ArrayBuffer>): Promise<Parcel<Uint8Array>> => {
    return { value: content, transfer: [content.buffer] }
  },
  /** Until the first number is no longer 0. */
  hold: async (gate: Int32Array): Promise<Parcel<string>> => {
    Atomics.add(gate, 1, 1)
    Atomics.notify(gate, 1)
    Atomics.wait(gate, 0, 0)
    return { value: 'held', transfer: [] }
  },
  spin: async (): Promise<Parcel<never>> => {
    for (;;) if (Math.random() > 1) throw new Error('that cannot be')
  },
  hoard: async (): Promise<Parcel<never>> => {
    const kept: unknown[] = []
    for (;;) kept.push({ at: kept.length, text: `${kept.length}`.repeat(10) })
  },
  refuse: async (): Promise<Parcel<never>> => {
    throw new Error('not like this')
  },
  overflow: async (): Promise<Parcel<number>> => {
    const deeper = (depth: number): number => deeper(depth + 1) + 1
    return { value: deeper(0), transfer: [] }
  },
  unsendable: async (): Promise<Parcel<unknown>> => ({ value: () => {}, transfer: [] }),
  exit: async (): Promise<Parcel<never>> => process.exit(3),
}

export type MisbehavingTasks = typeof tasks

serveTasks(tasks)
