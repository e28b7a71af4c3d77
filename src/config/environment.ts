import type { Gathered, Entry } from '#/config/entry.ts'
import { PREFIX, settings } from '#/config/setting.ts'
import { fromText } from '#/config/text-value.ts'
import { didYouMean } from '#/core/basics/did-you-mean.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** Variables with our prefix that are not settings. */
export const OTHER_VARIABLES = ['SIGNALBOX_CONFIG', 'SIGNALBOX_REQUIRE_FULL_TESTS'] as const

/**
 * Kubernetes puts these into every pod for each Service of its namespace, so a Service called `signalbox` would
 * otherwise make our own pods refuse to start.
 */
const OF_A_SERVICE =
  /^SIGNALBOX_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/

/** An empty variable counts as not set. */
export function fromEnvironment(variables: Variables): Gathered {
  const entries = settings.flatMap((setting): readonly Entry[] => {
    const variable = [setting.variable, ...(setting.about.variables ?? [])].find(
      (name) => (variables[name] ?? '') !== '',
    )
    if (variable === undefined) return []
    const value = fromText(setting, variables[variable] ?? '')
    return [{ path: setting.path, value, origin: { kind: 'environment', variable } }]
  })
  return { entries, problems: unknownVariables(variables) }
}

function unknownVariables(variables: Variables): Gathered['problems'] {
  const known: readonly string[] = [
    ...settings.map(({ variable }) => variable),
    ...settings.flatMap(({ about }) => about.variables ?? []),
    ...OTHER_VARIABLES,
  ]
  return Object.keys(variables)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && !OF_A_SERVICE.test(name))
    .map((name) => ({ where: name, message: 'no such setting', meant: didYouMean(name, known) }))
}
