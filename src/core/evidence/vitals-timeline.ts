import type { TimelineEntry } from './timeline.ts'
import type { Vitals } from './vitals.ts'

const NEARLY_FULL = 0.9
const MIB = 1024 * 1024

/** The samples worth showing: when memory became scarce, each OOM kill, and the last one. */
export function vitalsTimeline(source: string, samples: readonly Vitals[]): readonly TimelineEntry[] {
  const scarce = samples.find((sample) => isNearlyFull(sample))
  const kills = samples.filter((sample, index) => {
    const before = samples[index - 1]?.oomKills ?? sample.oomKills
    return sample.oomKills !== null && before !== null && sample.oomKills > before
  })
  const chosen = new Set([scarce, ...kills, samples.at(-1)].filter((sample) => sample !== undefined))
  return [...chosen].map((sample) => ({ at: sample.at, source, fact: `vitals: ${describe(sample)}` }))
}

function isNearlyFull({ memoryBytes, memoryLimitBytes }: Vitals): boolean {
  return memoryBytes !== null && memoryLimitBytes !== null && memoryBytes >= NEARLY_FULL * memoryLimitBytes
}

function describe({ memoryBytes, memoryLimitBytes, oomKills, memoryPressure }: Vitals): string {
  const memory = memoryBytes === null ? 'memory unknown' : `memory ${mebibytes(memoryBytes)}`
  const limit = memoryLimitBytes === null ? '' : ` of ${mebibytes(memoryLimitBytes)}`
  const kills = oomKills === null ? '' : `, ${oomKills} OOM kills`
  const pressure = memoryPressure === null ? '' : `, memory pressure ${memoryPressure} %`
  return `${memory}${limit}${kills}${pressure}`
}

function mebibytes(bytes: number): string {
  return Number.isFinite(bytes) ? `${Math.round(bytes / MIB)} MiB` : 'no limit'
}
