import type { Subject } from '#/core/evidence/subject.ts'

/** What a node's journal shows about a pod: enough to recognise it when the API server no longer has it. */
export type LearnedIdentity = {
  readonly uid: string | null
  readonly containerIds: readonly string[]
  /** Container names by id. */
  readonly containerNames: ReadonlyMap<string, string>
}

const SANDBOX =
  /PodSandboxMetadata\{Name:(?<pod>[^,]+),Uid:(?<uid>[^,]+),Namespace:(?<namespace>[^,]+),.{0,80}?returns sandbox id \\?"(?<id>[0-9a-f]{12,64})/
const CONTAINER =
  /CreateContainer within sandbox \\?"(?<sandbox>[0-9a-f]{12,64})\\?" for &ContainerMetadata\{Name:(?<name>[^,]+),.{0,80}?returns container id \\?"(?<id>[0-9a-f]{12,64})/
const STARTED =
  /pod="(?<namespace>[^/"]+)\/(?<pod>[^"]+)" event=\{"ID":"(?<uid>[0-9a-f-]+)","Type":"Container(?:Started|Died)","Data":"(?<id>[0-9a-f]+)"\}/
const NAMED = /pod="(?<namespace>[^/"]+)\/(?<pod>[^"]+)" podUID="(?<uid>[0-9a-f-]+)"/

/** The last UID with the name counts, unless the subject's own is known: an earlier pod may be in the same journal. */
export function learnIdentity(messages: readonly string[], subject: Subject): LearnedIdentity {
  const uid = subject.uid ?? messages.reduce<string | null>((last, message) => uidIn(message, subject) ?? last, null)
  if (uid === null) return { uid, containerIds: subject.containerIds, containerNames: new Map() }
  const sandboxes = idsIn(messages, SANDBOX, uid)
  const containerNames = namesIn(messages, new Set(sandboxes))
  const ids = [...subject.containerIds, ...idsIn(messages, STARTED, uid), ...containerNames.keys(), ...sandboxes]
  return { uid, containerIds: [...new Set(ids)], containerNames }
}

function idsIn(messages: readonly string[], pattern: RegExp, uid: string): readonly string[] {
  return messages.flatMap((message) => {
    const found = pattern.exec(message)?.groups
    return found?.['uid'] === uid ? (found['id'] ?? []) : []
  })
}

function namesIn(messages: readonly string[], sandboxes: ReadonlySet<string>): ReadonlyMap<string, string> {
  const made = messages.map((message) => CONTAINER.exec(message)?.groups).filter((groups) => groups !== undefined)
  const own = made.filter(({ sandbox = '' }) => sandboxes.has(sandbox))
  return new Map(own.map(({ id = '', name = '' }) => [id, name]))
}

function uidIn(message: string, { namespace, pod }: Subject): string | null {
  if (pod === null || !message.includes(pod)) return null
  const found = (SANDBOX.exec(message) ?? STARTED.exec(message) ?? NAMED.exec(message))?.groups
  if (found?.['pod'] !== pod || (namespace !== null && found['namespace'] !== namespace)) return null
  return found['uid'] ?? null
}

/** The journal lines between which the name belongs to this pod and not to an earlier or later one. */
export function namedSpan(
  messages: readonly (string | null)[],
  subject: Subject,
): { readonly from: number; readonly to: number } {
  const { uid } = subject
  if (uid === null) return { from: -Infinity, to: Infinity }
  const isOthers = (message: string | null): boolean => {
    const other = message === null ? null : uidIn(message, subject)
    return other !== null && other !== uid
  }
  const first = messages.findIndex((message) => message?.includes(uid) ?? false)
  // A journal that has the name only with another UID shows nothing about this pod.
  if (first === -1)
    return messages.some(isOthers) ? { from: Infinity, to: -Infinity } : { from: -Infinity, to: Infinity }
  const after = messages.findIndex((message, order) => order > first && isOthers(message))
  return { from: messages.slice(0, first).some(isOthers) ? first : -Infinity, to: after === -1 ? Infinity : after }
}
