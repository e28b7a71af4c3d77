import { Client } from 'pg'

/** Statements on a connection of their own; answers the rows of the last one. */
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
