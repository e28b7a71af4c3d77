/** A value that crosses between threads. What is listed in `transfer` is moved, not copied: the sender loses it. */
export type Parcel<T> = { readonly value: T; readonly transfer: readonly ArrayBuffer[] }

/** A task as the thread performs it. */
export type PerformTask = (input: never) => Promise<Parcel<unknown>>

/** The tasks that an entry file serves, by name. */
export type Tasks = Readonly<Record<string, PerformTask>>

export type InputOf<T extends PerformTask> = Parameters<T>[0]
export type OutputOf<T extends PerformTask> = Awaited<ReturnType<T>>['value']

export type ToThread = { readonly task: string; readonly input: unknown }

export type FromThread =
  /** Its modules are loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly why: string }

/** The same bytes alone in their memory, so that they can be moved. */
export function aloneInMemory(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
