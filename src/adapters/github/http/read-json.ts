/** Undefined where it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return WIDE_INTEGER.test(text) ? JSON.parse(text, keepWideIntegers) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A reviver makes parsing six times slower, so it is used only where it may be needed. */
const WIDE_INTEGER = /\d{16}/u

/** Delivery ids are 64 bits wide: what a number cannot hold stays as its digits. */
function keepWideIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  return /^-?\d+$/u.test(source) ? source : value
}
