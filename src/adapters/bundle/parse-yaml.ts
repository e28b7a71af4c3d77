import { isJsonObject } from '#/core/evidence/bundle-json.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { JsonObject } from '#/ports/bundle.ts'

/** The parser is loaded only where there is YAML: most questions have none. */
export async function parseYaml(text: Observed<string>): Promise<Observed<JsonObject>> {
  if (text.kind !== 'seen') return text
  const { duplicateKey, openYaml, yamlValue } = await import('#/adapters/documents/yaml-text.ts')
  const { parsed } = openYaml(text.value, { of: 'first' })
  const [error] = parsed.errors
  if (error !== undefined) return blind('malformed', error.message)
  const twice = duplicateKey(parsed)
  if (twice !== null) return blind('malformed', `the key ${twice} is there twice`)
  const resolved = yamlValue(parsed)
  if ('why' in resolved) return blind('malformed', resolved.why)
  return isJsonObject(resolved.value) ? seen(resolved.value) : blind('malformed', 'it is not a mapping')
}
