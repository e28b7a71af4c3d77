/** What every pod of this installation gets, whatever its pool. */
export type PodSettings = {
  /** Where pods reach `serve`, without a slash at the end. */
  readonly url: string
  /** The CA that signed the certificate of `serve`, in PEM; null where the system knows it. */
  readonly ca: string | null
  readonly scripts: PodScripts
}

/** The texts of deploy/runner/*.sh. */
export type PodScripts = { readonly poller: string; readonly runner: string; readonly vitals: string }
