/**
 * ARC has five generations of behaviour; every rule that differs between them is here. `head` is the development line
 * between 0.14.2 and 0.15.0: its version is `canary-…` and its sets have the chart's version.
 */
export type ArcGeneration = 'upTo0.12' | '0.13' | '0.14' | 'head' | '0.15'

export type Version = { readonly major: number; readonly minor: number; readonly patch: number }

/** `0.14.2`, `v0.14.2`, `0.14.2-rc1`; null without a number (`canary-2ee6b3b`, `latest`). */
export function parseVersion(text: string | null): Version | null {
  const match = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,9}))?(?:[-+.].*)?$/.exec(text ?? '')
  if (match === null) return null
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0) }
}

export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch
}

/** Not a release: it serves sets of any version. */
export function isDevelopmentBuild(version: string | null): boolean {
  return version !== null && /^(?:canary|dev\b|main\b|master\b)/.test(version)
}

export function findGeneration(
  version: string | null,
  marks: { readonly hasIntegrityHash: boolean; readonly hasActionableRevision: boolean },
): ArcGeneration {
  if (marks.hasActionableRevision) return '0.15'
  if (marks.hasIntegrityHash || isDevelopmentBuild(version)) return 'head'
  const parsed = parseVersion(version)
  if (parsed === null) return '0.14'
  if (parsed.major > 0 || parsed.minor >= 15) return '0.15'
  if (parsed.minor === 14) return '0.14'
  return parsed.minor === 13 ? '0.13' : 'upTo0.12'
}

/** Sets have a phase from 0.14 on. */
export function hasPhase(generation: ArcGeneration): boolean {
  return generation !== 'upTo0.12' && generation !== '0.13'
}

/** A wedged set is freed by scaling its runners to 0; later versions make new ones unless all are deleted at once. */
export function isFreedByScaling(generation: ArcGeneration): boolean {
  return generation !== 'head' && generation !== '0.15'
}
