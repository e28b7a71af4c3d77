import { didYouMean } from '#/core/basics/did-you-mean.ts'
import { DURATION_FORM, formatDuration, parseDuration } from '#/core/basics/duration.ts'
import { toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'

/** What is wrong with a field, for the person who wrote it. */
export type SpecProblem = { readonly path: string; readonly why: string }

/** Reads one section of a specification. Every mistake is kept, not only the first. */
export class SpecReader {
  readonly #fields: Fields
  readonly #path: string
  readonly #problems: SpecProblem[]

  constructor(value: unknown, path: string, problems: SpecProblem[]) {
    this.#fields = toFields(value)
    this.#path = path
    this.#problems = problems
    const isSection = value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))
    if (!isSection) problems.push({ path, why: `is ${describe(value)}; write an object` })
  }

  section(key: string): SpecReader {
    return new SpecReader(this.value(key), this.at(key), this.#problems)
  }

  value(key: string): unknown {
    return this.#fields[key] ?? undefined
  }

  at(key: string): string {
    return `${this.#path}.${key}`
  }

  refuse(key: string, why: string): void {
    this.#problems.push({ path: key === '' ? this.#path : this.at(key), why })
  }

  keys(): readonly string[] {
    return Object.keys(this.#fields)
  }

  allow(known: readonly string[]): void {
    for (const key of this.keys().filter((one) => !known.includes(one))) {
      const [close] = didYouMean(key, known)
      this.refuse(
        key,
        close === undefined ? `is not a field; known: ${known.join(', ')}` : `is not a field; did you mean ${close}?`,
      )
    }
  }

  text(key: string, otherwise: string | null = null): string {
    const value = this.value(key)
    if (typeof value === 'string' && value.trim() !== '') return value
    if (value === undefined && otherwise !== null) return otherwise
    this.refuse(key, value === undefined ? 'is required' : `is ${describe(value)}; write a text`)
    return ''
  }

  choice<T extends string>(key: string, choices: readonly [T, ...T[]] | readonly T[], otherwise: T): T {
    const value = this.value(key)
    if (value === undefined) return otherwise
    const found = choices.find((one) => one === value)
    if (found === undefined) this.refuse(key, `is ${describe(value)}; write ${choices.join(' or ')}`)
    return found ?? otherwise
  }

  count(key: string, { least, most, otherwise }: Bounds): number {
    const value = this.value(key)
    if (value === undefined && otherwise !== null) return otherwise
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
    const wanted = `write a whole number from ${least} to ${most}`
    this.refuse(key, value === undefined ? `is required; ${wanted}` : `is ${describe(value)}; ${wanted}`)
    return otherwise ?? least
  }

  duration(key: string, { leastMs, mostMs, otherwiseMs }: Span): number {
    const value = this.value(key)
    if (value === undefined) return otherwiseMs
    const ms = typeof value === 'string' ? parseDuration(value) : null
    if (ms !== null && ms >= leastMs && ms <= mostMs) return ms
    const span = `from ${formatDuration(leastMs)} to ${formatDuration(mostMs)}`
    this.refuse(
      key,
      ms === null ? `is ${describe(value)}; write ${DURATION_FORM}` : `is ${describe(value)}; write a duration ${span}`,
    )
    return otherwiseMs
  }

  texts(key: string): readonly string[] {
    const value = this.value(key)
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.refuse(key, `is ${describe(value)}; write a list`)
      return []
    }
    const texts: string[] = []
    for (const [index, one] of (value as readonly unknown[]).entries()) {
      if (typeof one === 'string' && one.trim() !== '') texts.push(one)
      else this.refuse(`${key}[${index}]`, `is ${describe(one)}; write a text`)
    }
    return texts
  }

  /** A number for each name. */
  numbers(key: string, isRight: (value: number) => boolean, wanted: string): ReadonlyMap<string, number> {
    const section = this.section(key)
    const numbers = new Map<string, number>()
    for (const name of section.keys()) {
      const value = section.value(name)
      if (typeof value === 'number' && isRight(value)) numbers.set(name, value)
      else section.refuse(name, `is ${describe(value)}; write ${wanted}`)
    }
    return numbers
  }
}

type Bounds = { readonly least: number; readonly most: number; readonly otherwise: number | null }
type Span = { readonly leastMs: number; readonly mostMs: number; readonly otherwiseMs: number }

const LONGEST_SHOWN = 60

function describe(value: unknown): string {
  if (value === undefined || value === null) return 'empty'
  const text = JSON.stringify(value)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}
