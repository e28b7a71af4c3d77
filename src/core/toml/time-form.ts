import type { TomlTimeForm } from './toml-value.ts'

const DAY = String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`
const CLOCK = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.\d+)?`
const OFFSET = String.raw`(?:[Zz]|[+-](?<away>\d\d):(?<awayMinutes>\d\d))`

const FORMS: readonly (readonly [TomlTimeForm, RegExp])[] = [
  ['offset-date-time', new RegExp(`^${DAY}[Tt ]${CLOCK}${OFFSET}$`)],
  ['local-date-time', new RegExp(`^${DAY}[Tt ]${CLOCK}$`)],
  ['local-date', new RegExp(`^${DAY}$`)],
  ['local-time', new RegExp(`^${CLOCK}$`)],
]

/** Which of the four forms the word has; null for none, and for a day or an hour that does not exist. */
export function timeForm(word: string): TomlTimeForm | null {
  for (const [form, pattern] of FORMS) {
    const groups = pattern.exec(word)?.groups
    if (groups !== undefined) return exists(groups) ? form : null
  }
  return null
}

function exists(groups: Readonly<Record<string, string | undefined>>): boolean {
  const number = (name: string): number => Number(groups[name] ?? 0)
  return (
    (groups['year'] === undefined || isDay(number('year'), number('month'), number('day'))) &&
    number('hour') < 24 &&
    number('minute') < 60 &&
    // 60 is a leap second.
    number('second') <= 60 &&
    number('away') < 24 &&
    number('awayMinutes') < 60
  )
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
  return day >= 1 && day <= days
}
