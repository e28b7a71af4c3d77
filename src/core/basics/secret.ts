/** The symbol that Node uses to print a value, spelled out so that the core imports nothing of Node. */
const INSPECTED = Symbol.for('nodejs.util.inspect.custom')

/** A token, key or JIT configuration that never appears in output, logs, JSON or inspection; only `reveal` returns it. */
export class Secret {
  readonly #kind: string
  readonly #value: string

  constructor(kind: string, value: string) {
    this.#kind = kind
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return `‹redacted:${this.#kind}›`
  }

  toJSON(): string {
    return this.toString()
  }

  [INSPECTED](): string {
    return this.toString()
  }
}
