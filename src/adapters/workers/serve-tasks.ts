import { parentPort } from 'node:worker_threads'
import type { FromThread, Parcel, Tasks, ToThread } from './parcel.ts'

/** For the entry file of a thread: performs the tasks that the pool sends, one after the other. */
export function serveTasks(tasks: Tasks): void {
  if (parentPort === null) throw new Error('this file is the entry of a thread, not a program')
  const port = parentPort
  const post = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...transfer])
  const perform = async ({ task, input }: ToThread): Promise<void> => {
    try {
      const run = tasks[task] as ((input: unknown) => Promise<Parcel<unknown>>) | undefined
      if (run === undefined) throw new Error(`no task ${task}`)
      const { value, transfer } = await run(input)
      post({ kind: 'done', value }, transfer)
    } catch (error) {
      post({ kind: 'failed', why: error instanceof Error ? error.message : String(error) })
    }
  }
  port.on('message', (message: ToThread) => void perform(message))
  post({ kind: 'ready' })
}
