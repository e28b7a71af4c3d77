import { isJsonObject } from '#/core/evidence/bundle-json.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { JsonObject } from '#/ports/bundle.ts'

/** An alias stands for a copy of its anchor: a few lines can ask for more memory than there is. */
const MAX_ALIASES = 100

/** The parser is loaded only where there is YAML: most questions have none. */
export async function parseYaml(text: Observed<string>): Promise<Observed<JsonObject>> {
  if (text.kind !== 'seen') return text
  const [{ parseDocument }, { duplicateKey }] = await Promise.all([
    import('yaml'),
    import('#/adapters/documents/duplicate-key.ts'),
  ])
  const document = parseDocument(text.value, { prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) return blind('malformed', error.message)
  const twice = duplicateKey(document)
  if (twice !== null) return blind('malformed', `the key ${twice} is there twice`)
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    return isJsonObject(value) ? seen(value) : blind('malformed', 'it is not a mapping')
  } catch (fault) {
    // Aliases are resolved only here: one without an anchor, or too many.
    return blind('malformed', fault instanceof Error ? fault.message : 'an alias cannot be resolved')
  }
}
