import { withSystemAuthorities } from '#/adapters/http/dispatchers.ts'
import type { Proxies } from '#/adapters/http/proxy-for.ts'
import type { Config } from '#/config/config.ts'
import { readSmallFile } from '#/adapters/files/read-small-file.ts'
import { AppFailure } from '#/app/part/failure.ts'

/** A system's whole bundle has a quarter of a million. */
const LARGEST_BYTES = 4_194_304

export type Network = { readonly proxies: Proxies; readonly authorities: readonly string[] | undefined }

/** Proxies and certificate authorities, from the configuration. */
export async function readNetwork({ proxy, caFile }: Config): Promise<Network> {
  return {
    proxies: {
      httpsProxy: proxy.https?.reveal(),
      httpProxy: proxy.http?.reveal(),
      noProxy: proxy.exceptions.join(','),
    },
    authorities: caFile === null ? undefined : withSystemAuthorities(await readAuthorities(caFile)),
  }
}

async function readAuthorities(file: string): Promise<string> {
  const read = await readSmallFile(file, LARGEST_BYTES)
  if (read.kind === 'read' && read.text.includes('-----BEGIN CERTIFICATE-----')) return read.text
  throw new AppFailure('configuration', `caFile: ${file} holds no certificates`, ['use a PEM file'])
}
