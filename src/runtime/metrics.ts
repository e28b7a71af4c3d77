/** Prometheus text exposition, with explicit zeros and series that go when what they count goes. */
export type Metrics = {
  readonly counter: (name: string, help: string) => Counter
  readonly gauge: (name: string, help: string) => Gauge
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

type Family = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
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
        add: (amount, labels = {}) => series.set(keyOf(labels), (series.get(keyOf(labels)) ?? 0) + amount),
        forget: (labels) => series.delete(keyOf(labels)),
      }
    },
    gauge: (name, help) => {
      const { series } = family(name, help, 'gauge')
      return {
        set: (value, labels = {}) => series.set(keyOf(labels), value),
        forget: (labels) => series.delete(keyOf(labels)),
      }
    },
    expose: () => [...families.values()].map((one) => exposeFamily(one)).join(''),
  }
}

function exposeFamily({ name, help, type, series }: Family): string {
  const rows = [...series].map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${rows.join('')}`
}

function keyOf(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${escape(value)}"`).join(',')}}`
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
