import { readFile } from 'node:fs/promises'
import { withSystemAuthorities } from '#/adapters/http/dispatchers.ts'
import type { Proxies } from '#/adapters/http/proxy-for.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import { EXIT } from '#/cli/exit-code.ts'
import type { Config } from '#/config/config.ts'

export type Network = { readonly proxies: Proxies; readonly authorities: readonly string[] | undefined }

/** The way out of this machine, as the configuration tells it. */
export async function networkOf({ proxy, caFile }: Config): Promise<Network> {
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
  const pem = await readFile(file, 'utf8').catch(() => '')
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw new CommandFailure(EXIT.usage, `caFile: ${file} holds no certificates`, ['give a file in PEM form'])
}
