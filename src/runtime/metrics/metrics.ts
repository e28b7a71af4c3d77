/** Prometheus text exposition, with explicit zeros and series that go when what they count goes. */
export type Metrics = {
  readonly counter: (name: string, help: string) => Counter
  readonly gauge: (name: string, help: string) => Gauge
  /** The buckets by their upper ends, in order; the one without an end is added. */
  readonly histogram: (name: string, help: string, buckets: readonly number[]) => Histogram
  readonly expose: () => string
}

export type Labels = { readonly [name: string]: string }
export type Counter = {
  readonly add: (amount: number, labels?: Labels) => void
  readonly forget: (labels: Labels) => void
}
export type Gauge = {
  readonly set: (value: number, labels?: Labels) => void
  readonly forget: (labels: Labels) => void
}
export type Histogram = {
  readonly observe: (value: number, labels?: Labels) => void
  readonly forget: (labels: Labels) => void
}

type Family = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly series: Map<string, number>
}

export function createMetrics(): Metrics {
  const families = new Map<string, Family>()
  const family = (name: string, help: string, type: Family['type']): Family => {
    const known = families.get(name)
    if (known !== undefined) {
      if (known.type !== type) throw new TypeError(`metric ${name} is a ${known.type} already`)
      return known
    }
    const made: Family = { name, help, type, series: new Map() }
    families.set(name, made)
    return made
  }
  return {
    counter: (name, help) => {
      const { series } = family(name, help, 'counter')
      return {
        add: (amount, labels = {}) => series.set(labelsKey(labels), (series.get(labelsKey(labels)) ?? 0) + amount),
        forget: (labels) => series.delete(labelsKey(labels)),
      }
    },
    gauge: (name, help) => {
      const { series } = family(name, help, 'gauge')
      return {
        set: (value, labels = {}) => series.set(labelsKey(labels), value),
        forget: (labels) => series.delete(labelsKey(labels)),
      }
    },
    histogram: (name, help, buckets) => histogramIn(family(name, help, 'histogram'), buckets),
    expose: () => [...families.values()].map((one) => exposeFamily(one)).join(''),
  }
}

/** The series of a histogram are keyed with their ending: `_bucket{…}`, `_sum`, `_count`. */
function histogramIn({ series }: Family, buckets: readonly number[]): Histogram {
  const add = (key: string, amount: number): unknown => series.set(key, (series.get(key) ?? 0) + amount)
  const ends = [...buckets, Infinity].map((end) => ({ end, le: end === Infinity ? '+Inf' : String(end) }))
  return {
    observe: (value, labels = {}) => {
      for (const { end, le } of ends) add(`_bucket${labelsKey({ ...labels, le })}`, value <= end ? 1 : 0)
      add(`_sum${labelsKey(labels)}`, value)
      add(`_count${labelsKey(labels)}`, 1)
    },
    forget: (labels) => {
      for (const { le } of ends) series.delete(`_bucket${labelsKey({ ...labels, le })}`)
      series.delete(`_sum${labelsKey(labels)}`)
      series.delete(`_count${labelsKey(labels)}`)
    },
  }
}

function exposeFamily({ name, help, type, series }: Family): string {
  const rows = [...series].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${rows.join('')}`
}

function labelsKey(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${escape(value)}"`).join(',')}}`
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
