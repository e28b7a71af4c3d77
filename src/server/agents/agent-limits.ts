/** How much one agent may ask of the server: a hostile one uses up its own share, and nobody else's. */
export type AgentLimits = {
  /** Call the result when the request is over. Null: it is one too many. */
  readonly enter: (node: string, kind: 'poll' | 'answer', now: number) => (() => void) | null
}

type Allowance = { readonly perSecond: number; readonly burst: number; readonly atOnce: number }

/** An honest agent answers a burst of 200 deaths at once; it polls again after each poll. */
const ALLOWED: Readonly<Record<'poll' | 'answer', Allowance>> = {
  poll: { perSecond: 50, burst: 200, atOnce: 8 },
  answer: { perSecond: 100, burst: 1000, atOnce: 16 },
}
const MOST_NODES = 10_000

type Use = { left: number; at: number; open: number }

export function createAgentLimits(): AgentLimits {
  const uses = new Map<string, Use>()
  const useOf = (key: string, burst: number, now: number): Use => {
    const known = uses.get(key)
    if (known !== undefined) return known
    const [oldest] = uses.keys()
    if (uses.size >= MOST_NODES && oldest !== undefined) uses.delete(oldest)
    const use = { left: burst, at: now, open: 0 }
    uses.set(key, use)
    return use
  }
  return {
    enter: (node, kind, now) => {
      const { perSecond, burst, atOnce } = ALLOWED[kind]
      const use = useOf(`${kind} ${node}`, burst, now)
      // A clock that was set back gives nothing, and takes nothing.
      const passed = Math.max(0, now - use.at) / 1000
      use.left = Math.min(burst, use.left + passed * perSecond)
      use.at = now
      if (use.left < 1 || use.open >= atOnce) return null
      use.left -= 1
      use.open += 1
      return () => void (use.open -= 1)
    },
  }
}
