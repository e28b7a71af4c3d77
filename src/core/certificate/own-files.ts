/** Where the server keeps the certificate that it made itself. */
export type OwnFiles = Readonly<Record<'certFile' | 'keyFile' | 'caFile' | 'caKeyFile', string>>

export function ownFiles(folder: string): OwnFiles {
  return {
    certFile: `${folder}/tls.crt`,
    keyFile: `${folder}/tls.key`,
    caFile: `${folder}/ca.crt`,
    caKeyFile: `${folder}/ca.key`,
  }
}
