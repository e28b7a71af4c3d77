import { join } from 'node:path'
import { ownFiles } from '#/core/certificate/own-files.ts'
import type { Settings } from '#/config/schema.ts'

export type TlsConfig = {
  readonly certFile: string
  readonly keyFile: string
  /** The CA, where it is known. */
  readonly caFile: string | null
  /** Null: the files are somebody else's. Otherwise `serve` makes them, in this folder and for these names. */
  readonly own: { readonly folder: string; readonly names: readonly string[] } | null
  /** `namespace/name` of the ConfigMap that gets the CA. */
  readonly caConfigMap: string | null
}

/** `contradictions` has checked what goes together. */
export function toTls({ tls, data }: Settings): TlsConfig | null {
  const { certFile, keyFile, names, caFile = null, caConfigMap = null } = tls
  if (names !== undefined) {
    const folder = join(data, 'tls')
    return { ...ownFiles(folder), own: { folder, names }, caConfigMap }
  }
  return certFile === undefined || keyFile === undefined ? null : { certFile, keyFile, caFile, own: null, caConfigMap }
}
