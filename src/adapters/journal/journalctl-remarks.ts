import type { BlindCode, BlindReason } from '#/core/basics/observed.ts'

/** What journalctl says on its error stream, and what it means for the answer. */
const REMARKS: readonly (readonly [pattern: RegExp, code: BlindCode])[] = [
  [
    /not seeing messages from other users|insufficient permissions|Permission denied|Operation not permitted/,
    'forbidden',
  ],
  [/No journal files were found|No such file or directory|Not a directory/, 'unsupported'],
  [/No such boot ID|Data from the specified boot/, 'expired'],
  [/corrupt|truncated|Bad message|is not valid|Invalid data|No data available|ignoring file|unclean/i, 'malformed'],
  [/Failed to parse|invalid option|Compiled without pattern matching|Bad pattern|Unit name/i, 'unsupported'],
]

const MAX_DETAIL = 300

/** The gaps that journalctl reports on stderr. An unknown message counts only if journalctl failed. */
export function gapsOfRemarks(remarks: string, hasFailed: boolean): readonly BlindReason[] {
  const gaps = remarks
    .split('\n')
    .filter((remark) => remark.trim() !== '')
    .flatMap((remark) => {
      const known = REMARKS.find(([pattern]) => pattern.test(remark))
      return known === undefined
        ? []
        : [{ code: known[1], detail: `journalctl: ${remark.trim().slice(0, MAX_DETAIL)}` }]
    })
  if (gaps.length > 0 || !hasFailed || remarks.trim() === '') return gaps
  return [{ code: 'server-error', detail: `journalctl: ${remarks.trim().slice(0, MAX_DETAIL)}` }]
}
