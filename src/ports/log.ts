/** One structured line per event. Keys are stable: people query them. Values never hold secrets. */
export type Log = {
  readonly debug: LogLine
  readonly info: LogLine
  readonly warn: LogLine
  readonly error: LogLine
}

export type LogLine = (message: string, fields?: LogFields) => void
export type LogFields = { readonly [key: string]: string | number | boolean | null }
