/** Where the text stops being TOML, and why. */
export class TomlFault extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.name = 'TomlFault'
    this.at = at
  }
}

/** Deeper is nobody's configuration, and whoever walks the value does so by recursion. */
export const DEEPEST = 100

const SPACES = /[ \t]*/y
const COMMENT = /#[^\n]*/y
/** Control characters but the tab: they may stand neither in a comment nor in a text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\0-\u0008\u000B-\u001F\u007F]/

/** A place in the text that moves forward only. */
export class TomlCursor {
  readonly text: string
  at: number

  constructor(text: string) {
    this.text = text
    // Editors on Windows put it there, and GitLab's parser passes over it too.
    this.at = text.startsWith('\uFEFF') ? 1 : 0
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** The character here; empty at the end. */
  get here(): string {
    return this.text.charAt(this.at)
  }

  startsWith(word: string): boolean {
    return this.text.startsWith(word, this.at)
  }

  /** What the sticky pattern matches here; moves behind it. Null where it does not. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found === undefined) return null
    this.at += found.length
    return found
  }

  skipSpaces(): void {
    this.take(SPACES)
  }

  /** A line break, which is never a lone carriage return. */
  takeBreak(): boolean {
    if (this.here === '\n') this.at += 1
    else if (this.startsWith('\r\n')) this.at += 2
    else return false
    return true
  }

  skipComment(): void {
    const start = this.at
    const comment = this.take(COMMENT)
    if (comment === null) return
    const content = comment.endsWith('\r') && this.here === '\n' ? comment.slice(0, -1) : comment
    this.at = start + content.length
    const control = content.search(CONTROL)
    if (control !== -1) throw new TomlFault(start + control, 'a control character may not stand in a comment')
  }

  /** Spaces, comments and line breaks. */
  skipBlank(): void {
    do {
      this.skipSpaces()
      this.skipComment()
    } while (this.takeBreak())
  }

  /** Only spaces and a comment may follow on this line. */
  endLine(behind: string): void {
    this.skipSpaces()
    this.skipComment()
    if (!this.isAtEnd && !this.takeBreak())
      throw this.fault(`there is ${this.named()} behind ${behind} on the same line`)
  }

  fault(message: string): TomlFault {
    return new TomlFault(this.at, message)
  }

  /** The character here, for a message: never more of the text, which may be a secret. */
  named(): string {
    if (this.isAtEnd) return 'the end of the file'
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)
    if (character === '\n' || character === '\r') return 'the end of the line'
    return JSON.stringify(character)
  }
}
