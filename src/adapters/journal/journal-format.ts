/** As `journalctl -o` names them; `short-iso-precise` is a `short-iso`. */
export type JournalFormat = 'json' | 'short-iso'
