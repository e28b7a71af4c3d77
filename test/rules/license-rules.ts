import type { BuiltIn } from '#/adapters/rules/read-rules.ts'
import { readRules } from '#/adapters/rules/read-rules.ts'
import type { Signature } from '#/core/evidence/signature.ts'

/** What a test has built in. */
export const ours: Signature = {
  id: 'oom-kill',
  says: 'The kernel killed a process.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /Killed (?<victim>\w+)/,
      literals: ['Killed'],
      strength: 'strong',
      examples: { matches: ['Killed java'], rejects: ['killer'] },
    },
  ],
}
export const builtIn: BuiltIn = { signatures: [ours], causes: ['oom-container'] }

export const HEAD = 'apiVersion: signalbox.dev/v1alpha1\nkind: Rules\n'
export const SIGNATURE = `signatures:
  - id: license-refused
    says: The license server refused.
    patterns:
      - streams: [runner-log]
        regex: 'license server (?P<server>\\S+) refused'
        strength: strong
        examples:
          matches: ['license server lic01 refused']
          rejects: ['license server lic01 answered']
`
export const CAUSE = `causes:
  - id: license-exhausted
    kind: death
    meaning: no seat was left
    for: [{ clue: license-refused, weight: 0.9 }]
    against: [{ clue: oom-kill }]
    settledBy: [logs]
    sentence: '{pod} got no seat at {license-refused.server}; {oom-kill.victim}.'
    next: ['Ask {node}.']
`
export const WHOLE = HEAD + SIGNATURE + CAUSE

/** Line, column, what is wrong, and what to do. */
export function problems(text: string): readonly string[] {
  const reading = readRules(text, builtIn)
  if (reading.kind === 'read') return []
  return [...reading.mistakes, ...reading.failures].map(({ line, column, message, advice }) => {
    return `${line}:${column} ${message}${advice === null ? '' : ` → ${advice}`}`
  })
}

/** The file with one part replaced, which has to be in it. */
export function changed(part: string, by: string): string {
  if (!WHOLE.includes(part)) throw new Error(`not in the file: ${part}`)
  return WHOLE.replace(part, by)
}
