import type { Fields } from '#/core/basics/fields.ts'
import { textAt } from '#/core/basics/fields.ts'
import { describeReason } from '#/core/basics/observed.ts'
import type { Observed } from '#/core/basics/observed.ts'
import type { DeclaredPullSecret } from '#/core/fleet-file/fleet-file.ts'
import type { Digest } from '#/core/redaction/redaction-secret.ts'

/** The Secret types that the kubelet reads, with their key: nothing else of a Secret is copied. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
])

/** One copy that the fleet file declares. */
export type DeclaredCopy = { readonly name: string; readonly from: string; readonly to: string }

export function listCopies(declared: readonly DeclaredPullSecret[]): readonly DeclaredCopy[] {
  return declared.flatMap(({ name, authoritative, copies }) =>
    copies.map(({ namespace }) => ({ name, from: authoritative.namespace, to: namespace })),
  )
}

/** `digest`: of the original, and `had` of the copy; null if there is none. Never a value. */
export type CopyPlan =
  | { readonly kind: 'same'; readonly digest: string }
  | { readonly kind: 'create' | 'update'; readonly digest: string; readonly had: string | null }
  | { readonly kind: 'refused' | 'blind'; readonly why: string }

export function planCopy(original: Observed<Fields>, copy: Observed<Fields>, digest: Digest): CopyPlan {
  if (original.kind === 'blind')
    return { kind: 'blind', why: `the original could not be read: ${describeReason(original.reason)}` }
  if (original.kind === 'none') return { kind: 'refused', why: 'the original does not exist' }
  const content = readContent(original.value)
  if (content === null)
    return { kind: 'refused', why: `the original is no pull secret: its type is ${describeType(original.value)}` }
  const own = shorten(digest, content.value)
  if (copy.kind === 'blind') return { kind: 'blind', why: `the copy could not be read: ${describeReason(copy.reason)}` }
  if (copy.kind === 'none') return { kind: 'create', digest: own, had: null }
  const type = textAt(copy.value, 'type') ?? 'Opaque'
  if (type !== content.type) {
    return {
      kind: 'refused',
      why: `the copy has the type ${type}, which cannot be changed: delete it, and run this again`,
    }
  }
  const value = textAt(copy.value, 'data', content.key)
  if (value === content.value) return { kind: 'same', digest: own }
  return { kind: 'update', digest: own, had: value === null ? null : shorten(digest, value) }
}

export type PullSecretContent = { readonly type: string; readonly key: string; readonly value: string }

/** `value` in base64, as the API gives it. For the apply alone. */
export function readContent(secret: Fields): PullSecretContent | null {
  const type = textAt(secret, 'type') ?? 'Opaque'
  const key = KEYS.get(type)
  const value = key === undefined ? null : textAt(secret, 'data', key)
  return key === undefined || value === null ? null : { type, key, value }
}

function describeType(secret: Fields): string {
  return textAt(secret, 'type') ?? 'Opaque'
}

const SHOWN_DIGITS = 12

/** Enough to compare two of one run. `digest` has a key that nobody keeps: a weak password could be guessed from a plain one. */
function shorten(digest: Digest, value: string): string {
  return `digest:${digest(new TextEncoder().encode(value)).slice(0, SHOWN_DIGITS)}`
}
