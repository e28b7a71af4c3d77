import { readDocument } from '#/adapters/documents/placed-document.ts'
import type { Problem } from '#/adapters/documents/problem.ts'
import { byPlace, placed } from '#/adapters/documents/problem.ts'
import { schemaProblems } from '#/adapters/documents/schema-problems.ts'
import type { FleetFile } from '#/core/fleet-file/fleet-file.ts'
import { fleetReferences } from './fleet-references.ts'
import { fleetSchema } from './fleet-schema.ts'

/** Enough for ten thousand lanes. */
export const LARGEST_FLEET_FILE = 4 * 1024 * 1024

export type FleetCheck =
  | { readonly kind: 'right'; readonly file: FleetFile }
  | { readonly kind: 'wrong'; readonly mistakes: readonly Problem[] }

/** Parses a fleet file in YAML or JSON; reports all mistakes at once. */
export function checkFleet(text: string): FleetCheck {
  const document = readDocument(text)
  if (document.problems.length > 0) return { kind: 'wrong', mistakes: document.problems.toSorted(byPlace) }
  const parsed = fleetSchema.safeParse(document.value)
  const remarks = fleetReferences(document.value)
  const mistakes = [
    ...schemaProblems(parsed.error?.issues ?? [], fleetSchema, document),
    ...placed(
      remarks.filter(({ isAboutKey }) => isAboutKey !== true),
      document.at,
    ),
    ...placed(
      remarks.filter(({ isAboutKey }) => isAboutKey === true),
      document.atKey,
    ),
  ]
  if (mistakes.length > 0 || !parsed.success) return { kind: 'wrong', mistakes: mistakes.toSorted(byPlace) }
  return { kind: 'right', file: parsed.data.spec }
}
