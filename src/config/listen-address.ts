export type ListenAddress = { readonly host: string; readonly port: number }

/** `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`; null for anything else. */
export function parseListenAddress(text: string): ListenAddress | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  return host === undefined || port > 65_535 ? null : { host, port }
}
