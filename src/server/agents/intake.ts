/** Reads request bodies in bounded memory: each, of one sender together, and of all together. */
export type Intake = (body: ReadableStream<Uint8Array> | null, plan: IntakePlan) => Promise<Buffer | IntakeRefusal>

export type IntakePlan = {
  readonly most: number
  /** Whose share it counts against. */
  readonly sender: string
  /** A body that drips must be over by then. */
  readonly signal: AbortSignal
}

/** `busy`: the share of the sender, or of all, is used up. `slow`: time ran out. `broken`: the sender disconnected halfway. */
export type IntakeRefusal = 'too-large' | 'busy' | 'slow' | 'broken'

export type IntakeLimits = { readonly inAll: number; readonly perSender: number }

export function createIntake({ inAll, perSender }: IntakeLimits): Intake {
  const held = new Map<string, number>()
  let total = 0
  const hold = (sender: string, bytes: number): number => {
    const own = (held.get(sender) ?? 0) + bytes
    total += bytes
    if (own === 0) held.delete(sender)
    else held.set(sender, own)
    return own
  }
  return async (body, { most, sender, signal }) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of untilAborted(body, signal)) {
        bytes += chunk.byteLength
        const own = hold(sender, chunk.byteLength)
        if (bytes > most) return 'too-large'
        if (own > perSender || total > inAll) return 'busy'
        chunks.push(chunk)
      }
      return signal.aborted ? 'slow' : Buffer.concat(chunks, bytes)
    } catch {
      return signal.aborted ? 'slow' : 'broken'
    } finally {
      hold(sender, -bytes)
    }
  }
}

async function* untilAborted(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const stop = (): void => resolve(null)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), aborted])
      if (read === null || read.done) return
      yield read.value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    // What is left of it is not read; the sender gets its answer.
    reader.cancel().catch(() => {})
  }
}
