import { seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import type { Chance } from '#test/bundles/mutate-chance.ts'

const ONE_IN = 4

/**
 * The same bundle with unmarked losses: events that the API server dropped, journal and audit log
 * lines that were suppressed, the end of a log that was not flushed. What is lost is drawn once, not at every reading.
 */
export function thinned(bundle: Bundle, chance: Chance): Bundle {
  const kept = <T>(items: readonly T[]): readonly T[] => items.filter(() => !chance.isOneIn(ONE_IN))
  const once = drawnOnce()
  return {
    ...bundle,
    list: async (resource) => {
      const list = await bundle.list(resource)
      return resource === 'events' ? once('events', list, kept) : list
    },
    auditLog: async () =>
      once('audit', await bundle.auditLog(), ({ lines, gaps }) => ({ lines: kept(lines), gaps })),
    journal: async (node, window) =>
      once(`journal/${node}/${JSON.stringify(window)}`, await bundle.journal(node, window), ({ lines, ...rest }) => ({
        ...rest,
        lines: kept(lines),
      })),
    log: async (name) => once(JSON.stringify(name), await bundle.log(name), (text) => cutEnd(text, chance)),
  }
}

function drawnOnce(): <T>(key: string, observed: Observed<T>, change: (value: T) => T) => Observed<T> {
  const drawn = new Map<string, unknown>()
  return <T>(key: string, observed: Observed<T>, change: (value: T) => T): Observed<T> => {
    if (observed.kind !== 'seen') return observed
    const value = drawn.has(key) ? (drawn.get(key) as T) : change(observed.value)
    drawn.set(key, value)
    return seen(value)
  }
}

function cutEnd(text: string, chance: Chance): string {
  const lines = text.split('\n')
  const lost = chance.isOneIn(ONE_IN) ? chance.int(lines.length) : 0
  return lines.slice(0, lines.length - lost).join('\n')
}
