import type { Parcel } from '#/adapters/workers/parcel.ts'
import { serveTasks } from '#/adapters/workers/serve-tasks.ts'

/** Evidence that no time is enough for: the tasks of the judging threads never end. */
const spin = async (): Promise<Parcel<never>> => {
  for (;;) if (Math.random() > 1) throw new Error('that cannot be')
}

serveTasks({ redact: spin, judge: spin })
