import { seedDraw } from './formats/format.ts'
import type { Format } from './formats/format.ts'

/** How programs and people print a credential: around a value that only its shape betrays, or behind a name. */
export type Context = { readonly name: string; readonly print: (secret: string, variable: string) => string }

const camel = (variable: string): string =>
  variable.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const kebab = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

/** The name beside the value says nothing. */
export const NEUTRAL: readonly Context[] = [
  { name: 'in a log line', print: (secret) => `2026-11-15T20:00:00Z INFO connecting with ${secret} to upstream` },
  { name: 'export', print: (secret) => `export VALUE=${secret}` },
  { name: 'JSON', print: (secret) => JSON.stringify({ at: 1, value: secret, ok: true }) },
  { name: 'YAML', print: (secret) => `  value: ${secret}` },
  { name: 'header', print: (secret) => `> X-Custom: ${secret}` },
  { name: 'quoted', print: (secret) => `run deploy '${secret}' failed` },
  { name: 'argument', print: (secret) => `deploy --with=${secret} --verbose` },
  { name: 'end of a sentence', print: (secret) => `the server refused ${secret}.` },
  { name: 'in brackets', print: (secret) => `request failed (${secret}), retrying` },
]

/** The name says what the value is. */
export const NAMED: readonly Context[] = [
  { name: 'export', print: (secret, variable) => `export ${variable}=${secret}` },
  { name: 'environment in a line', print: (secret, variable) => `+ env CI=true ${variable}=${secret} ./deploy` },
  { name: 'docker run', print: (secret, variable) => `docker run -e ${variable}=${secret} image` },
  { name: 'kubectl describe', print: (secret, variable) => `      ${variable}:  ${secret}` },
  { name: 'JSON', print: (secret, variable) => JSON.stringify({ at: 1, [camel(variable)]: secret }) },
  {
    name: 'JSON in a string',
    print: (secret, variable) => `payload="${JSON.stringify({ [variable]: secret }).replaceAll('"', String.raw`\"`)}"`,
  },
  { name: 'YAML', print: (secret, variable) => `  ${camel(variable)}: ${secret}` },
  { name: 'pod spec', print: (secret, variable) => JSON.stringify({ env: [{ name: variable, value: secret }] }) },
  { name: 'option', print: (secret, variable) => `deploy --${kebab(variable)} '${secret}' --verbose` },
  { name: 'option with a sign', print: (secret, variable) => `deploy --${kebab(variable)}="${secret}" --verbose` },
  { name: 'header', print: (secret, variable) => `> X-${kebab(variable)}: ${secret}` },
  { name: 'properties', print: (secret, variable) => `${variable.toLowerCase().replaceAll('_', '.')} = ${secret}` },
]

export type Miss = {
  readonly format: string
  readonly context: string
  readonly printed: string
  readonly redacted: string
}

export type Recall = { readonly tried: number; readonly misses: readonly Miss[] }

/** How many characters in a row may be left of a value. A prefix is public, and a name or host within it stays readable. */
const LEFT = 12

/** Tries every format in every context that suits it. */
export function measureRecall(
  formats: readonly Format[],
  redact: (text: string) => string,
  kind: 'neutral' | 'named',
): Recall {
  const misses: Miss[] = []
  let tried = 0
  for (const [index, format] of formats.entries()) {
    if (kind === 'neutral' && format.isShapeless === true) continue
    for (const [at, { name, print }] of (kind === 'neutral' ? NEUTRAL : NAMED).entries()) {
      tried += 1
      const secret = format.build(seedDraw(1000 * index + at))
      const printed = print(secret, format.variable)
      const redacted = redact(printed)
      if (isLeaked(secret, redacted)) misses.push({ format: format.name, context: name, printed, redacted })
    }
  }
  return { tried, misses }
}

/** True if random characters of the secret can still be read. */
function isLeaked(secret: string, text: string): boolean {
  const random = secret.match(/[A-Za-z0-9+_-]{12,}/g) ?? []
  const pieces = random.filter((piece) => /\d/.test(piece) && /[a-z]/i.test(piece))
  return pieces.some((piece) => {
    const from = Math.max(0, piece.length - LEFT - 4)
    return text.includes(piece.slice(from, from + LEFT))
  })
}
