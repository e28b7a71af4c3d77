/**
 * For vitest, in each of its processes. Without this, one whose parent was interrupted continues its tests, with servers that
 * nobody stops. (guardian.ts stops clusters.)
 */
import { readFileSync, readdirSync } from 'node:fs'

process.once('disconnect', () => {
  for (const pid of ownPrograms()) process.kill(pid, 'SIGKILL')
  process.exit(1)
})

/** Processes of the product that the tests started; Linux only. */
function ownPrograms(): readonly number[] {
  try {
    const threads = readdirSync('/proc/self/task')
    const children = threads.flatMap((id) => readFileSync(`/proc/self/task/${id}/children`, 'utf8').trim().split(' '))
    return children.filter((pid) => pid !== '' && isOurs(pid)).map(Number)
  } catch {
    return []
  }
}

function isOurs(pid: string): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/src/main.ts')
}
