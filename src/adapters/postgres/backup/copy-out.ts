import { Readable } from 'node:stream'
import type { Client, Connection, Submittable } from 'pg'

const HELD_BYTES = 1024 * 1024

/** The rows that `copy … to stdout` sends. Reading slowly makes the server send slowly; nothing piles up here. */
export function copyOut(client: Client, statement: string): Readable {
  const query = new CopyOut(statement)
  client.query(query)
  return query.rows
}

/** `pg` hands these messages to the query that is running; its own queries ignore them. */
class CopyOut implements Submittable {
  readonly rows: Readable
  readonly #statement: string
  #connection: Connection | null = null

  constructor(statement: string) {
    this.#statement = statement
    this.rows = new Readable({ highWaterMark: HELD_BYTES, read: () => void this.#connection?.stream.resume() })
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.query(this.#statement)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The driver reads the next message into the same memory.
    if (!this.rows.push(Buffer.from(chunk))) this.#connection?.stream.pause()
  }

  handleReadyForQuery(): void {
    // Whoever has the last rows asks for no more, and the next query waits for its answer.
    this.#connection?.stream.resume()
    this.rows.push(null)
  }

  handleError(error: Error): void {
    this.#connection?.stream.resume()
    this.rows.destroy(error)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}
