import type { Client, Connection, Submittable } from 'pg'

/** Sends rows to `copy … from stdin`. Resolves when the server has taken all of them, rejects when it refuses one. */
export async function copyIn(client: Client, statement: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
  const query = new CopyIn(statement, rows)
  client.query(query)
  await query.done
}

/** What the types of `pg` leave out of its connection. */
type CopyConnection = Connection & {
  readonly sendCopyFromChunk: (chunk: Uint8Array) => void
  readonly endCopyFrom: () => void
  readonly sendCopyFail: (reason: string) => void
}

class CopyIn implements Submittable {
  readonly done: Promise<void>
  readonly #statement: string
  readonly #rows: AsyncIterable<Uint8Array>
  readonly #outcome = Promise.withResolvers<void>()
  #failure: unknown

  constructor(statement: string, rows: AsyncIterable<Uint8Array>) {
    this.#statement = statement
    this.#rows = rows
    this.done = this.#outcome.promise
  }

  submit(connection: Connection): void {
    connection.query(this.#statement)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.#send(connection)
  }

  async #send(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.#rows) {
        if (this.#failure !== undefined) return
        connection.sendCopyFromChunk(chunk)
        if (connection.stream.writableNeedDrain) await drained(connection)
      }
      connection.endCopyFrom()
    } catch (error) {
      // What the source says explains more than what the server then answers.
      this.#failure ??= error
      connection.sendCopyFail('the backup could not be read further')
    }
  }

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.#outcome.resolve()
    else this.#outcome.reject(this.#failure)
  }

  handleError(error: Error): void {
    this.#failure ??= error
    this.#outcome.reject(this.#failure)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

/** A connection that ends will never be drained. */
function drained({ stream }: Connection): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go).off('close', go)
      resolve()
    }
    stream.on('drain', go).on('close', go)
    if (stream.destroyed) go()
  })
}
