/**
 * Whether less than this time has passed since `from`. A clock that was set back before it says nothing about that: then the
 * time is taken as over, because nobody knows how long it would last.
 */
export function isWithin(ms: number, from: number, now: number): boolean {
  return now >= from && now - from < ms
}
