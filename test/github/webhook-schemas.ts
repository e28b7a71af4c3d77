import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

const FILE = createRequire(import.meta.url).resolve('@octokit/webhooks-schemas')
const ajv = new Ajv({ strict: false })
addFormats.default(ajv)
// Without the list of all events at its root, only the events in use are compiled.
const { definitions } = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly definitions: object }
ajv.addSchema({ definitions }, 'webhooks')

/** Problems of a webhook's body by GitHub's schemas; none when it is valid. */
export function webhookProblems(event: string, payload: unknown): readonly string[] {
  const action = typeof payload === 'object' && payload !== null && 'action' in payload ? String(payload.action) : ''
  const validate = ajv.getSchema(`webhooks#/definitions/${event}$${action}`)
  if (validate === undefined) return [`no schema for ${event} ${action}`]
  if (validate(payload) === true) return []
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`)
}
