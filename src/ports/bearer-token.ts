/** A secret that a caller must know. */
export type BearerToken = {
  /** `unusable`: there is no secret that anybody could know, so nobody is let in. */
  readonly judge: (given: string) => Promise<'right' | 'wrong' | 'unusable'>
  /** Why it is unusable; null where it is not. */
  readonly fault: () => Promise<string | null>
}
