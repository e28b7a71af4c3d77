import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Certificate = { readonly certFile: string; readonly keyFile: string }

/** A self-signed certificate for a name and for 127.0.0.1, written into the folder. */
export async function makeCertificate(folder: string, name: string): Promise<Certificate> {
  const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) }
  const made = ['-keyout', files.keyFile, '-out', files.certFile]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},IP:127.0.0.1`]
  await promisify(execFile)('openssl', ['req', ...kind, ...names, ...made])
  return files
}
