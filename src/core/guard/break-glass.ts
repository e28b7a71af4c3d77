import { at, listAt, textAt, timeAt } from '#/core/basics/fields.ts'
import { readAuditLogLine } from '#/core/kubernetes/audit-log-facts.ts'
import { BREAK_GLASS, GUARD_MANAGER } from './stamp.ts'

/** The program that set the annotation, and when, from the managed fields; these do not name the person. */
export type GlassWriter = { readonly manager: string; readonly at: number | null }

export function findGlassWriter(object: unknown): GlassWriter | null {
  const entries = listAt(object, 'metadata', 'managedFields')
  const own = entries.find(
    (entry) => at(entry, 'fieldsV1', 'f:metadata', 'f:annotations', `f:${BREAK_GLASS}`) !== undefined,
  )
  const manager = textAt(own, 'manager')
  return manager === null ? null : { manager, at: timeAt(own, 'time') }
}

export type GlassQuestion = { readonly namespace: string; readonly name: string; readonly resource: string }

const CHANGES: ReadonlySet<string> = new Set(['patch', 'update'])
const WITHOUT_A_PERSON = /^system:(?:node:|serviceaccount:kube-system:|kube-)/u

/**
 * Who set the annotation, from lines of the audit log in their order. A line whose body has the annotation decides; where the
 * audit level hides the bodies, it is who changed the object last.
 */
export function findGlassBreaker(lines: readonly unknown[], question: GlassQuestion): string | null {
  const changes = lines.flatMap((line) => readChange(line, question) ?? [])
  return (changes.findLast(({ isCertain }) => isCertain) ?? changes.at(-1))?.user ?? null
}

type GlassChange = { readonly user: string; readonly isCertain: boolean }

/** Null for everything but a change of the object that a person may have made. */
function readChange(line: unknown, { namespace, name, resource }: GlassQuestion): GlassChange | null {
  const facts = readAuditLogLine(line)
  if (facts?.namespace !== namespace || facts.name !== name || facts.resource !== resource) return null
  if (!CHANGES.has(facts.verb) || facts.subresource !== null || (facts.status ?? 200) >= 300) return null
  if (!mayBePerson(facts.user) || isByGuard(line)) return null
  return { user: facts.user, isCertain: JSON.stringify(at(line, 'requestObject') ?? null).includes(BREAK_GLASS) }
}

function mayBePerson(user: string): boolean {
  return user !== '' && !WITHOUT_A_PERSON.test(user)
}

function isByGuard(line: unknown): boolean {
  return textAt(line, 'requestURI')?.includes(`fieldManager=${GUARD_MANAGER}`) ?? false
}
