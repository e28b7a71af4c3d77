const FIELD = 'vmconsole="'
/** A kernel begins its lines with the time since it started. */
const SINCE_BOOT = /^\[\s*\d+\.\d+\]\s*/

/**
 * The line that a microVM's guest wrote on its console, where a shim passes it on in a field of its own line
 * (`vmconsole="…"`). Null for any other line. What the host's kernel writes means the host; this means the guest.
 */
export function readGuestConsole(message: string): string | null {
  const at = message.indexOf(FIELD)
  return at === -1 ? null : unquote(message, at + FIELD.length).replace(SINCE_BOOT, '')
}

/** A console file of the VM has the lines bare. */
export function readConsoleLine(text: string): string {
  return readGuestConsole(text) ?? text.replace(SINCE_BOOT, '')
}

/** Up to the closing quote, or to the end where the line was cut. */
function unquote(text: string, from: number): string {
  let end = from
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return text.slice(from, end).replaceAll(/\\(["\\])/g, '$1')
}
