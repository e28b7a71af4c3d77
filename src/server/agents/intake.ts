/** Reads request bodies in bounded memory, each and all together. */
export type Intake = (body: ReadableStream<Uint8Array> | null, most: number) => Promise<Buffer | IntakeRefusal>

/** `broken`: the sender disconnected halfway. */
export type IntakeRefusal = 'too-large' | 'busy' | 'broken'

export function createIntake(mostInAll: number): Intake {
  let held = 0
  return async (body, most) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of body ?? []) {
        bytes += chunk.byteLength
        held += chunk.byteLength
        if (bytes > most) return 'too-large'
        if (held > mostInAll) return 'busy'
        chunks.push(chunk)
      }
      return Buffer.concat(chunks, bytes)
    } catch {
      return 'broken'
    } finally {
      held -= bytes
    }
  }
}
