export type CertificatePair = { readonly cert: string; readonly key: string }

/** Where a server's certificate and key come from. */
export type CertificateSource = {
  /** A text says what is wrong with them. */
  readonly read: () => Promise<CertificatePair | string>
  /** Calls back with each new pair until it is released. */
  readonly follow: (first: CertificatePair, onNewPair: (pair: CertificatePair) => void) => () => void
}
