import { at, textAt, toFields } from '#/core/basics/fields.ts'
import type { SecretOrder } from '#/ports/kubernetes-acts.ts'

const QUOTED = 8
const LONGEST_ANSWER = 2_000

/**
 * Whether an answer quotes a Secret: a webhook may print what it refuses. Any eight characters in a row of a value, encoded or
 * not, count, and a password of any length. What is too long to search counts too.
 */
export function quotesSecret(message: string, data: SecretOrder['data']): boolean {
  if (message.length > LONGEST_ANSWER) return true
  const values = Object.values(data)
  const logins = values.flatMap((value) => listLogins(decode(value)))
  if (logins.some(({ password }) => password !== '' && message.includes(password))) return true
  const texts = [...values.flatMap((value) => [value, decode(value)]), ...logins.map(({ login }) => login)]
  const pieces = Array.from({ length: message.length - QUOTED + 1 }, (_, start) => message.slice(start, start + QUOTED))
  return pieces.some((piece) => texts.some((text) => text.includes(piece)))
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8')
}

type Login = { readonly login: string; readonly password: string }

/** Of a `.dockerconfigjson`, or of the older form without `auths`. */
function listLogins(text: string): readonly Login[] {
  const config = parse(text)
  const registries = Object.values(toFields(at(config, 'auths') ?? config))
  return registries.flatMap((registry): readonly Login[] => {
    const login = decode(textAt(registry, 'auth') ?? '')
    const passwords = [textAt(registry, 'password') ?? '', login.slice(login.indexOf(':') + 1)]
    return passwords.map((password) => ({ login, password }))
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
