import type { Finding } from '#/core/audit/finding.ts'
import { isSet } from '#/core/fleet/runner-env.ts'
import type { Variable } from '#/core/fleet/runner-env.ts'
import { setSubject, unknown } from './view.ts'
import type { CacheView, CacheUser } from './view.ts'

const NAMING = /_(?:CACHE|NAME)$/
const NO_NAME = /SERVER|URL|HOST|ENDPOINT|TOKEN|KEY|SECRET|PASSW/

/** Variables that should hold the cache's name. */
function namingVariables({ declared }: CacheView, { env, variables }: CacheUser): readonly string[] {
  const given = declared.env ?? []
  const isAddress = (name: string): boolean => {
    const variable = env.variable(name)
    return variable.kind === 'value' && variable.text.includes('://')
  }
  const named = [...new Set([...given, ...variables])].filter((name) => NAMING.test(name) && !isAddress(name))
  return named.length > 0 ? named : given.filter((name) => !NO_NAME.test(name) && !isAddress(name))
}

export function nameFindings(view: CacheView): readonly Finding[] {
  const { cacheName } = view.declared
  if (cacheName === undefined) return []
  return view.users.flatMap((user) =>
    namingVariables(view, user).flatMap((name) => {
      const variable = user.env.variable(name)
      if (!isSet(variable)) return []
      if (variable.kind === 'hidden' && variable.equals === null) {
        const why = `unknown whether ${name} of ${user.set.name} is ${cacheName}: it comes from ${variable.from}`
        return unknown(view.fleet, 'kubernetes/configmaps', why)
      }
      const isSame = variable.kind === 'value' ? variable.text.trim() === cacheName : isEqual(variable, cacheName)
      return isSame ? [] : [mismatch(user, name, { wanted: cacheName, found: variable })]
    }),
  )
}

function isEqual(variable: Variable, text: string): boolean {
  return variable.kind === 'hidden' && variable.equals?.(text) === true
}

function mismatch(
  { set }: CacheUser,
  name: string,
  { wanted, found }: { readonly wanted: string; readonly found: Variable },
): Finding {
  const value = found.kind === 'value' ? found.text : null
  const description =
    value === null
      ? `${name} comes from ${found.kind === 'hidden' ? found.from : 'elsewhere'} and differs`
      : `${name} is ${value}`
  return {
    class: 'name-mismatch',
    severity: 'warning',
    subject: setSubject(set),
    evidence: [`${description}; the fleet file calls the cache ${wanted}`],
    hint: `set ${name} of ${set.name} to ${wanted}, or correct cacheName in the fleet file; what is pushed under one name is not found under the other`,
    fields: { variable: name, expected: wanted, found: value },
  }
}
