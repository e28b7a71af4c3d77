import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type SignedCertificate = { readonly certFile: string; readonly keyFile: string; readonly caFile: string }

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']

/** A certificate for the names (`DNS:…`, `IP:…`) signed by an authority, as the chart makes it. */
export async function makeSigned(folder: string, file: string, names: string): Promise<SignedCertificate> {
  const openssl = promisify(execFile)
  const path = (ending: string): string => join(folder, `${file}${ending}`)
  const authority = ['-keyout', path('-ca.key'), '-out', path('-ca.crt')]
  await openssl('openssl', ['req', '-x509', ...KEY, '-subj', `/CN=${file} authority`, ...authority])
  const signed = ['-CA', path('-ca.crt'), '-CAkey', path('-ca.key'), '-keyout', path('.key'), '-out', path('.crt')]
  const about = ['-subj', `/CN=${file}`, '-addext', `subjectAltName=${names}`]
  await openssl('openssl', [
    'req',
    '-x509',
    ...KEY,
    ...about,
    '-addext',
    'basicConstraints=critical,CA:FALSE',
    ...signed,
  ])
  return { certFile: path('.crt'), keyFile: path('.key'), caFile: path('-ca.crt') }
}
