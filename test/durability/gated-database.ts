import { socketFile } from '#/adapters/postgres/embedded/socket-folder.ts'
import { openTcpGate } from '#test/kubernetes/tcp-gate.ts'
import type { TcpGate } from '#test/kubernetes/tcp-gate.ts'

/** A way to a database that can be cut, and the connection string of this way. */
export async function openGatedDatabase(
  connectionString: string,
): Promise<AsyncDisposable & { readonly gate: TcpGate; readonly connectionString: string }> {
  const gated = new URL(connectionString)
  const folder = gated.searchParams.get('host')
  const gate = await openTcpGate(folder === null ? Number(gated.port) : socketFile(folder))
  gated.searchParams.delete('host')
  gated.hostname = '127.0.0.1'
  gated.port = String(gate.port)
  return { gate, connectionString: gated.href, [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose]() }
}
