import { Client } from 'pg'

/** Runs statements on a separate connection; returns the rows of the last one. */
export async function ask(connectionString: string, ...statements: readonly string[]): Promise<readonly unknown[]> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    let rows: readonly unknown[] = []
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}
