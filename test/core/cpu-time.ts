/** How long this process worked for it, in milliseconds: on a busy machine the clock on the wall tells of others. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
