import { listAt, textAt } from '#/core/basics/fields.ts'
import type { Finding } from '#/core/audit/finding.ts'
import { templateRunner } from '#/core/kubernetes/runner-container.ts'
import type { CacheView, CacheUser } from './view.ts'
import { setSubject, unknown } from './view.ts'
import { NIX_CONFIG } from './cache-variables.ts'

const NIX_FILES = /^\/etc\/nix(?:\/|$)|\/nix\.conf$|\/\.config(?:\/nix)?\/?$/

/** Public keys that the builds must trust: without its key, what comes from the cache is discarded. */
export function keyFindings(view: CacheView): readonly Finding[] {
  const { trustedKeys } = view.declared
  if (trustedKeys === undefined) return []
  const users = view.users.filter(({ variables }) => variables.length > 0)
  return (users.length === 0 ? view.users : users).flatMap((user) => untrusted(view, user, trustedKeys))
}

function untrusted(view: CacheView, user: CacheUser, keys: readonly string[]): readonly Finding[] {
  const values = listValues(user)
  const missing = keys.filter((key) => !values.has(key))
  if (missing.length === 0) return []
  const elsewhere = findHiddenPlace(user)
  const { set } = user
  if (elsewhere !== null) {
    const why = `unknown whether the builds of ${set.name} trust ${missing.join(', ')}: it may be in ${elsewhere}`
    return unknown(view.fleet, 'kubernetes/configmaps', why)
  }
  return [
    {
      class: 'key-untrusted',
      severity: 'warning',
      subject: setSubject(set),
      evidence: [
        ...missing.map((key) => `no variable of the runner container holds ${key}`),
        "no volume is mounted over nix.conf; the image's own nix.conf was not read",
      ],
      hint: `in the values of ${set.name}: add extra-trusted-public-keys = ${missing.join(' ')} to ${NIX_CONFIG} of the runner container`,
      fields: { keys: missing },
    },
  ]
}

/** All values of all variables, without the comments of nix.conf. */
function listValues({ env }: CacheUser): ReadonlySet<string> {
  const texts = env.names.flatMap((name) => {
    const variable = env.variable(name)
    return variable.kind === 'value' ? [variable.text] : []
  })
  const lines = texts.flatMap((text) => text.split('\n'))
  return new Set(lines.flatMap((line) => (line.split('#')[0] ?? '').split(/[\s,]+/)))
}

/** A place that cannot be read and may hold a key. */
function findHiddenPlace({ set, env }: CacheUser): string | null {
  const container = templateRunner(set.template)
  const mount = listAt(container, 'volumeMounts').find((one) => NIX_FILES.test(textAt(one, 'mountPath') ?? ''))
  if (mount !== undefined) return `the volume ${textAt(mount, 'name')} over ${textAt(mount, 'mountPath')}`
  const hidden = env.names.find((name) => /NIX|KEYS?$/.test(name) && env.variable(name).kind === 'hidden')
  if (hidden !== undefined) return hidden
  const config = env.variable(NIX_CONFIG)
  return config.kind === 'maybe' ? `${NIX_CONFIG} out of ${config.from}` : null
}
