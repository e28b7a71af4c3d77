export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}
export type Family = { readonly type: string; readonly help: string; readonly samples: readonly Sample[] }

export class Unconventional extends Error {
  readonly code = 'UNCONVENTIONAL'
}

type Draft = { type: string; help: string; samples: Sample[] }

/** Parses metrics like Prometheus, and throws on what it would refuse or what its conventions forbid. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Draft>()
  const known = new Set<string>()
  let current: string | null = null
  if (!text.endsWith('\n')) throw new Unconventional('the last line has no end')
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-z_:][a-z0-9_:]*) (.+)$/.exec(line)
    if (comment !== null) {
      const [, what, name = '', rest = ''] = comment
      current = name
      describe(families, { what, name, rest })
      continue
    }
    const sample = parseSample(line)
    const identity = `${sample.name} ${Object.entries(sample.labels).map(String).sort().join()}`
    if (known.has(identity)) throw new Unconventional(`twice: ${line}`)
    known.add(identity)
    const family = current === null ? undefined : families.get(current)
    if (current === null || family === undefined || !belongs(sample.name, current, family.type)) {
      throw new Unconventional(`without its HELP and TYPE: ${line}`)
    }
    family.samples.push(sample)
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function describe(
  families: Map<string, Draft>,
  { what, name, rest }: { readonly what: string | undefined; readonly name: string; readonly rest: string },
): void {
  const family = families.get(name)
  if (what === 'HELP') {
    if (family !== undefined) throw new Unconventional(`${name} is described twice`)
    families.set(name, { type: '', help: rest, samples: [] })
    return
  }
  if (family === undefined || family.type !== '' || family.samples.length > 0) {
    throw new Unconventional(`the TYPE of ${name} is out of place`)
  }
  family.type = rest
}

const SAMPLE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

function parseSample(line: string): Sample {
  const [, name, inside = '', number] = SAMPLE.exec(line) ?? []
  const value = number === '+Inf' ? Infinity : Number(number)
  if (name === undefined || Number.isNaN(value)) throw new Unconventional(`cannot be read: ${line}`)
  const labels: Record<string, string> = {}
  for (LABEL.lastIndex = 0; LABEL.lastIndex < inside.length;) {
    const [, key, text = ''] = LABEL.exec(inside) ?? []
    if (key === undefined || key in labels) throw new Unconventional(`labels: ${line}`)
    labels[key] = text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
  }
  return { name, labels, value }
}

function belongs(sample: string, family: string, type: string): boolean {
  if (type !== 'histogram') return sample === family
  return ['_bucket', '_sum', '_count'].some((ending) => sample === `${family}${ending}`)
}

/** https://prometheus.io/docs/practices/naming */
function checkFamily(name: string, { type, help, samples }: Draft): void {
  const wrong = (why: string): never => {
    throw new Unconventional(`${name}: ${why}`)
  }
  if (!name.startsWith('signalbox_')) wrong('has no prefix of ours')
  if (!/^[A-Z].*\.$/.test(help)) wrong('the help is not a sentence')
  if (!['counter', 'gauge', 'histogram'].includes(type)) wrong(`the type is ${type}`)
  if ((type === 'counter') !== name.endsWith('_total')) wrong('a counter ends in _total, and nothing else does')
  if (/_(?:ms|millis|milliseconds|minutes|hours|kb|mb|mib|percent)(?:_total)?$/.test(name))
    wrong('is not in a base unit')
  if (type === 'histogram' && !name.endsWith('_seconds') && !name.endsWith('_bytes')) wrong('a histogram has a unit')
  if (type === 'histogram') checkBuckets(name, samples)
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`)
  const counts = samples.filter((sample) => sample.name === `${name}_count`)
  let before = 0
  for (const { labels, value } of buckets) {
    if (value < before) throw new Unconventional(`${name}: the buckets do not add up`)
    before = labels['le'] === '+Inf' ? 0 : value
  }
  const infinite = buckets.filter(({ labels }) => labels['le'] === '+Inf').map(({ value }) => value)
  if (infinite.join() !== counts.map(({ value }) => value).join()) {
    throw new Unconventional(`${name}: the last bucket is not the count`)
  }
}
