/** The program must not, or cannot, work with this database: why, and what the person can do about it. */
export type Refusal = { readonly kind: 'refused'; readonly why: string; readonly next: string }

export function refusal(why: string, next: string): Refusal {
  return { kind: 'refused', why, next }
}
