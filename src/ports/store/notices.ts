/** What was sent to which channel, so that nothing is sent twice, and not too much within a time. */
export type Notices = {
  readonly claim: (notice: {
    readonly channel: string
    readonly key: string
    readonly at: number
  }) => Promise<'new' | 'repeated'>
  /** It could not be sent: the next one may try again. */
  readonly release: (channel: string, key: string) => Promise<void>
  readonly has: (channel: string, key: string) => Promise<boolean>
  readonly count: (channel: string, since: number) => Promise<number>
}
