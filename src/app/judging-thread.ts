import { serveTasks } from '#/adapters/workers/serve-tasks.ts'
import { judgingTasks } from './judging-tasks.ts'

// The entry of a thread: bundled beside main.js for the package (deploy/npm/build.ts).
serveTasks(judgingTasks)
