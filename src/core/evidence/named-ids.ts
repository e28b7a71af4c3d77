/** An id that a line of the journal names: a pod's UID, with dashes, or 64 hexadecimal digits of a container or a sandbox. */
export type NamedId = {
  readonly id: string
  /** The text before it says that it is the UID of a pod. */
  readonly isPod: boolean
}

const UUID_LENGTH = 36
const LAST_GROUP = 12
const CONTAINER_LENGTH = 64
const MOST_IDS = 64
const DASH = 0x2d
const UNDERSCORE = 0x5f
/** Where the dashes of a UUID are, counted from its end. */
const SEPARATORS = [13, 18, 23, 28] as const

const HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/.test(String.fromCodePoint(byte)) ? 1 : 0))

const BEFORE_BYTES = 16
const POD_BEFORE = /(?:pods?|uid|event=\W{1,4}id)[^0-9a-z]{0,6}$/i
const DIGEST_BEFORE = /sha256[:-]$/

/**
 * The ids between two places, each once. One pass over the bytes, whatever they are: a hostile line costs no more than any
 * other. systemd writes a UID with underscores; a digest of an image is no container.
 */
export function idsIn(bytes: Uint8Array, start: number, end: number): readonly NamedId[] {
  const found: NamedId[] = []
  for (let at = start; at < end; at += 1) {
    const from = at
    while (at < end && HEX[bytes[at] ?? 0] === 1) at += 1
    const length = at - from
    if (length !== CONTAINER_LENGTH && length !== LAST_GROUP) continue
    const named =
      length === CONTAINER_LENGTH ? readContainer(bytes, { start, from }) : readUid(bytes, { start, end: at })
    if (named === null || found.some(({ id }) => id === named.id)) continue
    found.push(named)
    if (found.length >= MOST_IDS) break
  }
  return found
}

function readContainer(bytes: Uint8Array, { start, from }: { readonly start: number; readonly from: number }) {
  if (DIGEST_BEFORE.test(textBefore(bytes, start, from))) return null
  return { id: readText(bytes, from, from + CONTAINER_LENGTH), isPod: false }
}

function readUid(bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): NamedId | null {
  const from = end - UUID_LENGTH
  const separator = bytes[end - LAST_GROUP - 1]
  if (from < start || (separator !== DASH && separator !== UNDERSCORE)) return null
  for (const back of SEPARATORS) if (bytes[end - back] !== separator) return null
  for (let at = from; at < end; at += 1) {
    if (HEX[bytes[at] ?? 0] !== 1 && bytes[at] !== separator) return null
  }
  const id = readText(bytes, from, end).replaceAll('_', '-')
  return { id, isPod: POD_BEFORE.test(textBefore(bytes, start, from)) }
}

function textBefore(bytes: Uint8Array, start: number, from: number): string {
  return readText(bytes, Math.max(start, from - BEFORE_BYTES), from)
}

function readText(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCodePoint(...bytes.subarray(start, end))
}
