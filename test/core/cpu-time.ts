/** CPU time of this process in milliseconds: on a busy machine wall time depends on other processes. */
export function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
