import type { Fields } from '#/core/basics/fields.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { blind, seen } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import { fleetSchema } from './fleet-schema.ts'

/** A fleet file with a mistake is blind as a whole: half a declaration would look complete. */
export function readFleetDocument(document: Fields): Observed<FleetFile> {
  const parsed = fleetSchema.safeParse(document)
  if (parsed.success) return seen(parsed.data.spec as FleetFile)
  const [issue] = parsed.error.issues
  const where = issue === undefined || issue.path.length === 0 ? 'the fleet file' : issue.path.join('.')
  return blind('malformed', `${where}: ${issue?.message ?? 'it cannot be read'}; see signalbox fleet check`)
}
