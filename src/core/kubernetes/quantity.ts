const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** A Kubernetes quantity in cores, bytes or pieces; null if it cannot be parsed. */
export function parseQuantity(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  const match = /^([+-]?\d{1,24}(?:\.\d{0,12})?|\.\d{1,12})(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/.exec(
    value.trim(),
  )
  if (match === null) return null
  const [, digits = '', exponent, suffix = ''] = match
  const number = Number(digits) * (exponent === undefined ? (SUFFIXES[suffix] ?? Number.NaN) : 10 ** Number(exponent))
  return Number.isFinite(number) ? number : null
}

/** Resources by name, in base units. An absent resource was not requested. */
export type Amounts = ReadonlyMap<string, number>

export function readAmounts(fields: Readonly<Record<string, unknown>>): Amounts {
  const amounts = new Map<string, number>()
  for (const [name, value] of Object.entries(fields)) {
    const amount = parseQuantity(value)
    if (amount !== null) amounts.set(name, amount)
  }
  return amounts
}

export function addAmounts(...all: readonly Amounts[]): Amounts {
  const sum = new Map<string, number>()
  for (const amounts of all) for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + amount)
  return sum
}

export function largerAmounts(a: Amounts, b: Amounts): Amounts {
  const larger = new Map(a)
  for (const [name, amount] of b) larger.set(name, Math.max(larger.get(name) ?? 0, amount))
  return larger
}

/** What is left; a resource that the total does not have becomes 0 minus its use. */
export function minusAmounts(whole: Amounts, used: Amounts): Amounts {
  const left = new Map(whole)
  for (const [name, amount] of used) left.set(name, (left.get(name) ?? 0) - amount)
  return left
}

/** How many of `each` fit into `room`, and the resource that limits it. Infinity if nothing is requested. */
export function timesIn(room: Amounts, each: Amounts): { readonly times: number; readonly boundBy: string | null } {
  let times = Infinity
  let boundBy: string | null = null
  for (const [name, amount] of each) {
    if (amount <= 0) continue
    // A tenth of a byte of rounding must not cost a whole pod.
    const here = Math.max(0, Math.floor((room.get(name) ?? 0) / amount + 1e-9))
    if (here < times) {
      times = here
      boundBy = name
    }
  }
  return { times, boundBy }
}

/** For people: cores as they are, bytes in binary units. */
export function formatAmount(resource: string, amount: number): string {
  const isBytes = /memory|storage|hugepages/.test(resource)
  if (!isBytes) return String(Math.round(amount * 1000) / 1000)
  const units = ['Ti', 'Gi', 'Mi', 'Ki'] as const
  const unit = units.find((name) => Math.abs(amount) >= (SUFFIXES[name] ?? 1))
  return unit === undefined
    ? String(Math.round(amount))
    : `${Math.round((amount / (SUFFIXES[unit] ?? 1)) * 10) / 10}${unit}`
}
