import type { Clue } from './signature.ts'
import type { Subject } from './subject.ts'

/** What a line of the node is about: this pod, another pod, or the whole node. */
export type About = 'subject' | 'another' | 'node'

/** Evidence counts only if it is about this pod, not about another pod or a later one of the same name. */
export function aboutSubject({ groups }: Pick<Clue, 'groups'>, subject: Subject): About {
  const { uid } = groups
  // The UID decides: container ids that we do not know may still be this pod's.
  if (uid !== undefined && subject.uid !== null) return uid === subject.uid ? 'subject' : 'another'
  const answers = listAnswers(groups, subject)
  if (answers.length === 0) return uid === undefined ? 'node' : 'another'
  return answers.every(Boolean) ? 'subject' : 'another'
}

function listAnswers({ pod, container, cgroup, limited }: Clue['groups'], subject: Subject): readonly boolean[] {
  return [
    pod === undefined ? null : isPod(pod, subject),
    container === undefined || !isContainerId(container) ? null : isOwnContainer(container, subject),
    cgroup === undefined ? null : isOwnCgroup(cgroup, subject),
    limited === undefined || cgroup !== undefined ? null : isOwnCgroup(limited, subject),
  ].filter((answer) => answer !== null)
}

/** `namespace/name`, sometimes followed by `(uid)`. A bare name says less and is accepted too. */
function isPod(text: string, subject: Subject): boolean {
  const match = /^(?:(?<namespace>[^/]+)\/)?(?<name>[^(]+)(?:\((?<uid>[^)]+)\))?$/.exec(text)
  if (match?.groups === undefined || match.groups['name'] !== subject.pod) return false
  const { namespace, uid } = match.groups
  if (uid !== undefined && subject.uid !== null && uid !== subject.uid) return false
  return namespace === undefined || subject.namespace === null || namespace === subject.namespace
}

function isContainerId(text: string): boolean {
  return /^[0-9a-f]{12,64}$/.test(text)
}

function isOwnContainer(id: string, { containerIds }: Subject): boolean {
  return containerIds.some((own) => own.startsWith(id) || id.startsWith(own))
}

/** The cgroupfs driver writes the UID with dashes, the systemd driver with underscores. */
function isOwnCgroup(path: string, { uid, containerIds }: Subject): boolean {
  if (uid !== null && (path.includes(`pod${uid}`) || path.includes(`pod${uid.replaceAll('-', '_')}`))) return true
  return containerIds.some((id) => path.includes(id))
}

const CONTAINER_IDS = /\b[0-9a-f]{64}\b/g
const POD_NAMES = /\bpods?=\[?"(?<pod>[^"]+)"/g

/** A line whose clue names no pod may still contain a container id or a pod name. */
export function aboutLine(clue: Pick<Clue, 'groups'>, message: string, subject: Subject): About {
  const about = aboutSubject(clue, subject)
  if (about !== 'node') return about
  const pods = [...message.matchAll(POD_NAMES)].flatMap(({ groups }) => groups?.['pod'] ?? [])
  const ids = message.match(CONTAINER_IDS) ?? []
  if (pods.length + ids.length === 0) return about
  const isOwn = pods.some((pod) => isPod(pod, subject)) || ids.some((id) => subject.containerIds.includes(id))
  return isOwn ? 'subject' : 'another'
}
