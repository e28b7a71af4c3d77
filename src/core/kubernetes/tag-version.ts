/** What a tag says about the order of builds. Tags of different series (`nightly-…`, `v…`) are never compared. */
export type TagVersion = {
  readonly series: string
  /** A version, or a date as year, month and day. */
  readonly numbers: readonly number[]
  readonly isDate: boolean
  /** `rc.1` is before the release; null for a release. */
  readonly preRelease: string | null
  /** A rebuild (`-7`), the time of a dated build, or null. */
  readonly build: number | null
  /** What is left: a variant (`ubuntu`) or, behind a date, a commit. */
  readonly rest: string
}

const DATE =
  /^(?<year>20\d\d)(?<mark>[-._]?)(?<month>0[1-9]|1[0-2])\k<mark>(?<day>0[1-9]|[12]\d|3[01])(?![\d.])(?<rest>.*)$/
const VERSION = /^(?<numbers>\d{1,6}(?:\.\d{1,9}){1,4})(?<rest>(?:[-+._~].*)?)$/
/** One number: a major version or the number of a build. Seven digits or more are rather a commit. */
const NUMBER = /^(?<numbers>\d{1,6})$/
const SERIES = /^(?<series>[a-z][a-z_]*(?:[-_/][a-z][a-z_]*)*[-_])(?=\d)/i

export function parseTagVersion(tag: string): TagVersion | null {
  const plain = tag.replace(/^v(?=\d)/i, '')
  const series = SERIES.exec(plain)?.groups?.['series'] ?? ''
  const body = plain.slice(series.length).replace(/^v(?=\d)/i, '')
  return parseDate(body, series) ?? parseNumbers(body, series)
}

function parseDate(body: string, series: string): TagVersion | null {
  const groups = DATE.exec(body)?.groups
  if (groups === undefined) return null
  const { year = '', month = '', day = '', rest = '' } = groups
  const time = /^[-._tT]?(?<build>\d{1,6})(?<rest>(?:[-._zZ].*)?)$/.exec(rest)?.groups
  return {
    series,
    numbers: [year, month, day].map(Number),
    isDate: true,
    preRelease: null,
    build: time === undefined ? null : Number(time['build']),
    rest: time === undefined ? rest : (time['rest'] ?? ''),
  }
}

const PRE_RELEASE = /^[-.~_]?(?<pre>(?:rc|alpha|beta|pre|preview|dev|snapshot|a|b)(?:[-.]?\d{1,6})?)(?=$|[-+._])/i

function parseNumbers(body: string, series: string): TagVersion | null {
  const groups = (VERSION.exec(body) ?? NUMBER.exec(body))?.groups
  if (groups === undefined) return null
  const numbers = (groups['numbers'] ?? '').split('.').map(Number)
  return { series, numbers, isDate: isYear(numbers[0]), ...parseRest(groups['rest'] ?? '') }
}

function parseRest(rest: string): Pick<TagVersion, 'preRelease' | 'build' | 'rest'> {
  const preRelease = PRE_RELEASE.exec(rest)?.groups?.['pre']?.toLowerCase() ?? null
  if (preRelease !== null) return { preRelease, build: null, rest }
  const build = /^[-+_](?:r|build)?(?<build>\d{1,6})$/i.exec(rest)?.groups?.['build']
  return build === undefined ? { preRelease, build: null, rest } : { preRelease, build: Number(build), rest: '' }
}

/** `2026.11.2` is a date too. */
function isYear(number: number | undefined): boolean {
  return number !== undefined && number >= 2000 && number < 2100
}

/** Below 0: `a` is older. Null if the two cannot be ordered (`latest`, a commit, another series). */
export function compareTags(a: string | null, b: string | null): number | null {
  if (a === null || b === null) return null
  if (a === b) return 0
  const [left, right] = [parseTagVersion(a), parseTagVersion(b)]
  if (left === null || right === null) return null
  if (left.series !== right.series || left.isDate !== right.isDate) return null
  return compareNumbers(left, right)
}

function compareNumbers(left: TagVersion, right: TagVersion): number | null {
  const shared = Math.min(left.numbers.length, right.numbers.length)
  for (let index = 0; index < shared; index += 1) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  // `2.336` moves with every patch: what runs behind it is not known. As a declaration it accepts every patch.
  if (left.numbers.length !== right.numbers.length) return left.numbers.length > right.numbers.length ? 0 : null
  return comparePreReleases(left.preRelease, right.preRelease) || compareBuilds(left, right)
}

function comparePreReleases(left: string | null, right: string | null): number {
  if (left === right) return 0
  if (left === null) return 1
  if (right === null) return -1
  return left.localeCompare(right, 'en', { numeric: true })
}

function compareBuilds(left: TagVersion, right: TagVersion): number | null {
  if (left.build !== null && right.build !== null && left.build !== right.build) return left.build - right.build
  // A rebuild of a version is not older than the version; of two commits of one day nobody knows.
  if (left.build === right.build) return left.isDate && left.rest !== right.rest ? null : 0
  return left.build === null ? null : 0
}

/** Tags of the same version have the same key; null if the tag says nothing about its version. */
export function versionKey(tag: string): string | null {
  const version = parseTagVersion(tag)
  if (version === null) return null
  const { series, numbers, preRelease, build, rest, isDate } = version
  return [series, numbers.join('.'), preRelease ?? '', isDate ? `${build ?? ''}${rest}` : ''].join('|')
}

const MOVING = new Set(['latest', 'main', 'master', 'stable', 'edge', 'nightly', 'canary', 'dev', 'develop', 'head'])

/** A tag that is moved to newer builds. */
export function isMovingTag(tag: string | null): boolean {
  return tag === null || MOVING.has(tag.toLowerCase())
}
