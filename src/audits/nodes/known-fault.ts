/** A bootstrap failure whose cause and fix are known. It does not resolve itself: every attempt fails the same way. */
export type KnownFault = { readonly what: string; readonly fix: string }

/** The first known fault in the texts of bootstrap failures; null if there is none. */
export function findKnownFault(messages: readonly (string | null)[]): KnownFault | null {
  for (const message of messages) {
    const fault = message === null ? null : (pfTableBusy(message) ?? null)
    if (fault !== null) return fault
  }
  return null
}

const TABLE_BUSY = /cannot define table (?<table>[\w.<>-]{1,64}): (?:Resource|Device) busy/i
const ANCHOR_FILE = /\/pf\.anchors\/(?<anchor>[\w.-]{1,128}?):\d/

/** A persistent table of a loaded anchor cannot be defined again: the reload fails until the anchor is flushed. */
function pfTableBusy(message: string): KnownFault | null {
  const busy = TABLE_BUSY.exec(message)
  if (busy === null) return null
  const anchor = ANCHOR_FILE.exec(message)?.groups?.['anchor'] ?? 'ANCHOR'
  return {
    what: `pf cannot load its rules: table ${busy.groups?.['table'] ?? ''} of the loaded anchor is still defined`,
    fix: `flush the anchor before the reload: pfctl -a ${anchor} -F all in the bootstrap script; release the operator image that has this fix and roll it out, then the next attempt succeeds; another attempt without it fails the same way`,
  }
}
