/** Whom we have told what, so that nobody is told twice, and not too much within a time. */
export type Notices = {
  readonly claim: (notice: {
    readonly channel: string
    readonly key: string
    readonly at: number
  }) => Promise<'new' | 'repeated'>
  /** It could not be told after all: the next one may try again. */
  readonly release: (channel: string, key: string) => Promise<void>
  readonly has: (channel: string, key: string) => Promise<boolean>
  readonly count: (channel: string, since: number) => Promise<number>
}
