/** Something that the operator can fix: what is wrong, and what to do next. The command line prints both. */
export class AppFailure extends Error {
  readonly kind: 'configuration' | 'failed'
  readonly next: readonly string[]

  constructor(kind: AppFailure['kind'], message: string, next: readonly string[] = []) {
    super(message)
    this.name = 'AppFailure'
    this.kind = kind
    this.next = next
  }
}
