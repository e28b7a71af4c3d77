/** As `collect` writes it, or in the base64 that keeps a Secret valid for kubectl. */
export function isDigest(value: string): boolean {
  const plain = value.startsWith('c2hhMjU2O') ? new TextDecoder().decode(decodeBase64(value)) : value
  return /^sha256:[0-9a-f]{64}$/.test(plain)
}

/** Text that is not base64 counts as its own bytes: it must be hidden too. */
export function decodeBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new TextEncoder().encode(text)
  }
}
