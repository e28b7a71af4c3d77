/** Durations in milliseconds, shares from 0 to 1. Each is a key under `thresholds` in the fleet file. */
export const DEFAULT_THRESHOLDS = {
  podStart: 300_000,
  starved: 120_000,
  podSlots: 0.95,
  hungAfterCompletion: 300_000,
  cgroupLeak: 10_000,
  cgroupsPerPod: 20,
  neverStartsPods: 2,
  bootstrapLoop: 5,
  bootstrapLoopWindow: 3_600_000,
  manyRunners: 3,
  manyRunnersWindow: 120_000,
  scaleSetNameLength: 45,
  derivedNameLength: 63,
  evictionMargin: 0.02,
  repeatedDeaths: 3,
  repeatedDeathsWindow: 3_600_000,
  repeatedDeathsFactor: 3,
  fileTable: 0.9,
  rateBudget: 0.1,
  wedgeSettled: 120_000,
  neverRegistered: 300_000,
  stuckTerminating: 600_000,
  listenerSilence: 180_000,
  listenerPodMissing: 60_000,
  cleanupAge: 600_000,
  justStarted: 120_000,
  crashLoopFailures: 3,
  crashLoopLife: 60_000,
  crashLoopWindow: 600_000,
  recentLines: 600_000,
  gracePeriod: 60_000,
  nodefsEviction: 0.1,
  imagefsEviction: 0.15,
  imageGc: 0.85,
  leaseSilence: 300_000,
  networkBefore: 1_200_000,
  networkAfter: 120_000,
  githubFileAge: 600_000,
} as const

export type ThresholdName = keyof typeof DEFAULT_THRESHOLDS
export type Thresholds = Readonly<Record<ThresholdName, number>>

export type ThresholdKind = 'duration' | 'share' | 'count'

const SHARES: ReadonlySet<ThresholdName> = new Set([
  'podSlots',
  'evictionMargin',
  'fileTable',
  'rateBudget',
  'nodefsEviction',
  'imagefsEviction',
  'imageGc',
])

const COUNTS: ReadonlySet<ThresholdName> = new Set([
  'cgroupLeak',
  'cgroupsPerPod',
  'neverStartsPods',
  'bootstrapLoop',
  'manyRunners',
  'scaleSetNameLength',
  'derivedNameLength',
  'repeatedDeaths',
  'repeatedDeathsFactor',
  'crashLoopFailures',
])

export const THRESHOLD_NAMES = Object.keys(DEFAULT_THRESHOLDS) as readonly ThresholdName[]

export function thresholdKind(name: ThresholdName): ThresholdKind {
  if (SHARES.has(name)) return 'share'
  return COUNTS.has(name) ? 'count' : 'duration'
}
