/** Node's own name for "how a value prints", spelled so that the core imports nothing of Node. */
const INSPECTED = Symbol.for('nodejs.util.inspect.custom')

/** A token, key or JIT configuration that no print, log, JSON or inspection shows; only `reveal` gives it. */
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
