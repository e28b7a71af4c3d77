import { readFile } from 'node:fs/promises'

/** `verb group/resource`, as a role grants it and as the audit log shows its use. */
export type Right = string

export type Rule = {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

export function grantedBy(rules: readonly Rule[]): readonly Right[] {
  const rights = rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  )
  return [...new Set(rights)].toSorted()
}

type AuditEvent = {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly requestURI: string
  readonly responseStatus?: { readonly code?: number }
  readonly objectRef?: { readonly apiGroup?: string; readonly resource?: string; readonly subresource?: string }
}

/** What a user of the cluster did, and what it was refused. */
export async function usedBy(
  auditLog: string,
  user: string,
): Promise<{
  readonly used: readonly Right[]
  readonly refused: readonly string[]
}> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n').filter((line) => line.includes(user))
  const events = lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ user: { username } }) => username === user)
  const refused = events
    .filter(({ responseStatus }) => responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`)
  const used = events.flatMap(({ verb, objectRef }) => {
    if (objectRef?.resource === undefined) return []
    const resource = [objectRef.resource, objectRef.subresource].filter((part) => part !== undefined).join('/')
    return [`${verb} ${objectRef.apiGroup ?? ''}/${resource}`]
  })
  return { used: [...new Set(used)].toSorted(), refused: [...new Set(refused)] }
}
