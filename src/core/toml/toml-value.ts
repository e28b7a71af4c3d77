/** A TOML 1.0 document. Offsets are those of UTF-16 units in the text. */
export type TomlValue =
  | { readonly kind: 'text'; readonly at: number; readonly value: string }
  | { readonly kind: 'integer'; readonly at: number; readonly value: bigint }
  | { readonly kind: 'float'; readonly at: number; readonly value: number }
  | { readonly kind: 'flag'; readonly at: number; readonly value: boolean }
  | { readonly kind: 'time'; readonly at: number; readonly form: TomlTimeForm; readonly value: string }
  | TomlList
  | TomlTable

export type TomlTimeForm = 'offset-date-time' | 'local-date-time' | 'local-date' | 'local-time'

export type TomlList = {
  readonly kind: 'list'
  readonly at: number
  readonly items: readonly TomlValue[]
  /** Made by `[[…]]`, not by brackets behind an equals sign. */
  readonly isOfHeaders: boolean
}

/** How a table came to be decides what may still be added to it. */
export type TomlTableOrigin = 'header' | 'implied' | 'dotted' | 'inline'

export type TomlTable = {
  readonly kind: 'table'
  /** Of its header's bracket (or of the header that implies it), of its brace, or of its key where dots made it. */
  readonly at: number
  readonly origin: TomlTableOrigin
  readonly entries: ReadonlyMap<string, TomlEntry>
}

export type TomlEntry = {
  /** Of the key. */
  readonly at: number
  readonly value: TomlValue
}

/** Both are counted from one; a column is a UTF-16 unit. */
export type TomlPlace = { readonly line: number; readonly column: number }

/** What was being built: the same, while it may still grow. */
export type OpenTable = {
  readonly kind: 'table'
  at: number
  origin: TomlTableOrigin
  readonly entries: Map<string, OpenEntry>
}
export type OpenList = {
  readonly kind: 'list'
  readonly at: number
  readonly items: OpenTable[]
  readonly isOfHeaders: true
}
type OpenEntry = { readonly at: number; readonly value: TomlValue | OpenTable | OpenList }
