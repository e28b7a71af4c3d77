import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import { TLSSocket } from 'node:tls'

/** Answers everything with the fingerprint of the certificate that the client sent. */
export type CertificateServer = AsyncDisposable & { readonly url: string; readonly fingerprint: string }

export async function startCertificateServer(certificateFile: string, keyFile: string): Promise<CertificateServer> {
  const cert = await readFile(certificateFile)
  const key = await readFile(keyFile)
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const shown = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().fingerprint256 : undefined
    response.end(shown ?? 'none')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `https://127.0.0.1:${port}`,
    fingerprint: new X509Certificate(cert).fingerprint256,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
