/** Whole seconds, so that what is written to the second and what is written to the nanosecond move alike. */
export type TimeShift = { readonly seconds: number; readonly year: number }

/** How the parts of a bundle write times: RFC 3339 (also with blanks, as Go prints it), journald, klog, the names of the runner's own logs, and .NET in American order. */
const TIMES = new RegExp(
  [
    String.raw`(?<date>\d{4}-\d\d-\d\d)(?<gap>[T ])(?<time>\d\d:\d\d:\d\d)(?=[.\d]* ?(?:Z|[+-]\d\d:?\d\d))`,
    String.raw`(?<field>"_(?:_|SOURCE_)REALTIME_TIMESTAMP":")(?<micros>\d{16})`,
    String.raw`(?<level>\b[IWEF])(?<day>\d{4}) (?<klog>\d\d:\d\d:\d\d)(?=\.\d{6})`,
    String.raw`(?<stamp>(?<!\d)\d{8}-\d{6})(?=-utc)`,
    String.raw`(?<american>\d\d\/\d\d\/\d{4}) (?<clock>\d\d:\d\d:\d\d)`,
  ].join('|'),
  'g',
)

type Found = Readonly<Record<string, string | undefined>>

/** The text with all times of it moved alike. */
export function shiftTimes(text: string, shift: TimeShift): string {
  return text.replaceAll(TIMES, (whole, ...rest: readonly unknown[]) => moved(whole, rest.at(-1) as Found, shift))
}

const STAMP = /(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/
const MICROS = 1_000_000n

function moved(whole: string, found: Found, { seconds, year }: TimeShift): string {
  const { date, gap, time, field, micros, level, day, klog, stamp, american, clock } = found
  if (date !== undefined)
    return later(`${date}T${time}Z`, seconds)
      .slice(0, 19)
      .replace('T', gap ?? 'T')
  if (micros !== undefined) return `${field}${BigInt(micros) + BigInt(seconds) * MICROS}`
  if (day !== undefined) {
    const at = later(`${year}-${day.slice(0, 2)}-${day.slice(2)}T${klog}Z`, seconds)
    return `${level}${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 19)}`
  }
  if (stamp !== undefined)
    return later(stamp.replace(STAMP, '$1-$2-$3T$4:$5:$6Z'), seconds)
      .slice(0, 19)
      .replaceAll(/[-:]/g, '')
      .replace('T', '-')
  if (american === undefined) return whole
  const [month, dayOfMonth, ofYear] = american.split('/')
  const at = later(`${ofYear}-${month}-${dayOfMonth}T${clock}Z`, seconds)
  return `${at.slice(5, 7)}/${at.slice(8, 10)}/${at.slice(0, 4)} ${at.slice(11, 19)}`
}

/** What only looks like a time stays as it is. */
function later(time: string, seconds: number): string {
  const at = Date.parse(time)
  // Kubernetes prints 1970 for a container that never started.
  return Number.isNaN(at) || at <= 0 ? time : new Date(at + seconds * 1000).toISOString()
}
