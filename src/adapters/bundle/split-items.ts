import { parseJson } from '#/core/evidence/bundle-json.ts'
import type { JsonReading } from '#/core/evidence/bundle-json.ts'
import { createByteQueue } from './byte-queue.ts'
import { byBrackets, firstVisible, itemEndFinder } from './find-item-end.ts'
import type { FindItemEnd } from './find-item-end.ts'
import { findItems } from './find-items.ts'

const MOST_HEAD_BYTES = 1024 * 1024
const MOST_ITEM_BYTES = 64 * 1024 * 1024
/** So many bytes are parsed at once, where the items are not larger. Texts of this size are collected as soon as they are read. */
const BATCH_BYTES = 64 * 1024
const BATCHES_IN_VAIN = 64
const CLOSE_BRACKET = 0x5d
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Takes a List apart while it is read: some items are parsed at a time, so that neither its text nor its bytes are ever held
 * as a whole. 50,000 pods as kubectl prints them are 600 MB, more than a string can have.
 */
export class ItemSplitter {
  readonly #take: (items: readonly unknown[]) => void
  readonly #batchBytes: number
  readonly #queue = createByteQueue()
  #phase: 'head' | 'items' | 'tail' | 'failed' = 'head'
  #why = 'it has no items'
  #head = ''
  #isFirst = true
  #findEnd: FindItemEnd | null = null
  /** Twice as much as there was in vain, so that what is large is not looked at over and over. */
  #wanted: number
  #isEnding = false

  constructor(take: (items: readonly unknown[]) => void, batchBytes = BATCH_BYTES) {
    this.#take = take
    this.#batchBytes = batchBytes
    this.#wanted = batchBytes
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at += this.#batchBytes)
      this.#pushSome(chunk.subarray(at, at + this.#batchBytes))
  }

  #pushSome(bytes: Uint8Array): void {
    if (this.#phase === 'failed') return
    this.#queue.push(bytes)
    if (this.#queue.bytes().length < this.#wanted) return
    this.#advance()
    this.#wanted = Math.max(this.#batchBytes, 2 * this.#queue.bytes().length)
  }

  /** The document with an empty list in place of its items, or what is wrong with it. */
  end(): JsonReading {
    this.#isEnding = true
    this.#advance()
    if (this.#phase !== 'tail') return { kind: 'malformed', why: this.#why }
    return parseJson(`${this.#head}${this.#queue.bytes().toString('utf8')}`)
  }

  #advance(): void {
    while (this.#phase === 'head' ? this.#readHead() : this.#phase === 'items' && this.#readItems());
    const isTailLong = this.#phase === 'tail' && this.#queue.bytes().length > MOST_HEAD_BYTES
    if (isTailLong) this.#fail('too much stands behind its items')
  }

  #fail(why: string): false {
    this.#why = why
    this.#phase = 'failed'
    return false
  }

  #readHead(): boolean {
    const text = this.#queue.bytes().toString('latin1', 0, MOST_HEAD_BYTES)
    const at = findItems(text)
    if (at === null) return text.length < MOST_HEAD_BYTES ? false : this.#fail(this.#why)
    this.#head = this.#queue.bytes().toString('utf8', 0, at).replace(BYTE_ORDER_MARK, '')
    this.#queue.drop(at)
    this.#phase = 'items'
    this.#why = 'it ends in the middle of its items'
    return true
  }

  #readItems(): boolean {
    this.#findEnd ??= itemEndFinder(this.#queue.bytes())
    if (this.#findEnd === null) return false
    const end = this.#findEnd.lastEnd(this.#queue.bytes())
    if (end === null) return this.#hasEnded() || this.#countInstead()
    // A number in front takes the comma that stands before all items but the first.
    const text = this.#queue.bytes().toString('utf8', 0, end)
    const reading = parseJson(this.#isFirst ? `[${text}]` : `[0${text}]`)
    if (reading.kind === 'malformed') {
      // Whatever can be parsed is right, because no beginning of an item is one itself; what cannot may be printed oddly.
      if (this.#findEnd.isCounting) return this.#fail(reading.why)
      this.#findEnd = byBrackets()
      return true
    }
    this.#take((reading.value as readonly unknown[]).slice(this.#isFirst ? 0 : 1))
    this.#isFirst = false
    this.#queue.drop(end)
    return true
  }

  /** Else an item goes on in the next chunk. */
  #hasEnded(): boolean {
    const bytes = this.#queue.bytes()
    const at = firstVisible(bytes)
    if (at === null || bytes[at] !== CLOSE_BRACKET) return false
    this.#phase = 'tail'
    return true
  }

  /** An item that begins on a line of its own and does not end on one, or a very large one. */
  #countInstead(): boolean {
    const { length } = this.#queue.bytes()
    if (length > MOST_ITEM_BYTES) return this.#fail(`an item has more than ${MOST_ITEM_BYTES} bytes`)
    const isInVain = this.#isEnding || length >= BATCHES_IN_VAIN * this.#batchBytes
    if (this.#findEnd?.isCounting !== false || !isInVain) return false
    this.#findEnd = byBrackets()
    return true
  }
}
