import { isHarmlessValue, isJitName, isSecretName } from './redaction-names.ts'

export const REDACTION_KINDS = [
  'url-credential',
  'jit-config',
  'github-token',
  'gitlab-token',
  'jwt',
  'authorization',
  'aws-key',
  'private-key',
  'signature',
  'env',
  'credential',
  'job-message',
  'base64',
  'last-applied-configuration',
  'overlong-line',
  'too-deep',
] as const
export type RedactionKind = (typeof REDACTION_KINDS)[number]

/** JSON stays JSON: no quote, no backslash. */
export function mark(kind: RedactionKind): string {
  return `‹redacted:${kind}›`
}

/** Text without any of these matches no rule below and has no name that makes its value a secret. */
const HINT =
  /gh[pousr]_|github_pat_|gl[a-z]{2,6}-|GR1348941|xox[a-z]-|npm_|AIza|hv[sb]\.|hooks\.slack|webhook\.office|discord| -u |--user|ey[IJ]|bearer|basic |authorization|A[KS]IA[A-Z0-9]|:\\?\/\\?\/[^/]*@|:\\?\/\\?\/[^\s/:]{0,256}:[^\s/]{6,}$|sig=|signature=|token|secret|passw|passphrase|credential|key|jit|cookie|_PAT|_AUTH|_PWD|auth"|Job message:/im

/** A long run of base64 on its own. Hexadecimal digests have no capitals. */
const BASE64 = /(?:^|[\s"'\\=:])(?=[a-z0-9+/]*[A-Z])[A-Za-z0-9+/]{40,}={0,2}(?:[\s"'\\]|$)/m

export function mayHoldSecret(text: string): boolean {
  return HINT.test(text) || BASE64.test(text)
}

/** In JSON a secret may also be written in escapes or, in a message of the journal, as an array of bytes. */
export function mayHoldSecretInJson(text: string): boolean {
  return mayHoldSecret(text) || /\\u00|\[\s*\d{1,3}\s*,\s*\d{1,3}\s*,/.test(text)
}

type Rule = {
  readonly kind: RedactionKind
  readonly pattern: RegExp
  readonly replace?: (...parts: string[]) => string
}

/**
 * Applied in this order. A pattern begins with a literal, and the rest is bounded, cannot fail, or cannot reach the next
 * start: so the time is proportional to the length of a line.
 */
const RULES: readonly Rule[] = [
  {
    kind: 'url-credential',
    pattern: /(:\\?\/\\?\/)[^\s/@:"'<>‹›]{0,256}:[^\s/"'<>]{1,4096}@/g,
    replace: (_, slashes = '') => `${slashes}${mark('url-credential')}@`,
  },
  {
    // Kubernetes truncates long messages, perhaps inside the password. A port or a digest is not a password.
    kind: 'url-credential',
    pattern: /(:\\?\/\\?\/)(?!\[|sha256:)[^\s/@:"'<>‹›]{0,256}:(?!\d{1,5}(?:[^A-Za-z0-9]|$))[^\s/"'<>‹›]{6,4096}$/g,
    replace: (_, slashes = '') => `${slashes}${mark('url-credential')}`,
  },
  {
    // A token in the place of a user name: no user name is that long and has digits.
    kind: 'url-credential',
    pattern: /(:\\?\/\\?\/)([A-Za-z0-9_-]{20,256})@/g,
    replace: (whole, slashes = '', value = '') =>
      /\d/.test(value) && /[a-z]/i.test(value) ? `${slashes}${mark('url-credential')}@` : whole,
  },
  { kind: 'jit-config', pattern: /eyI(?:ucnVubmVy|uY3JlZGVudGlhbH)[A-Za-z0-9+/_-]*={0,2}/g },
  {
    kind: 'authorization',
    pattern:
      /(authorization\\{0,8}["']?\s?[:=]\s?\[?\\{0,8}["']?(?:(?:bearer|basic|token|remoteauth|negotiate)\s+)?)([^\s"'\\,\]}]+)/gi,
    replace: (whole, head = '', value = '') =>
      isHarmlessValue(value) || !/^.{8}/.test(value) ? whole : `${head}${mark('authorization')}`,
  },
  {
    kind: 'authorization',
    pattern: /(bearer|basic)(\s+)([A-Za-z0-9._~+/=-]{16,})/gi,
    // Prose has "bearer authentication"; a credential of this length has a digit.
    replace: (whole, scheme = '', space = '', value = '') =>
      /\d/.test(value) ? `${scheme}${space}${mark('authorization')}` : whole,
  },
  {
    // A dump of the environment: the value reaches to the end of the line, spaces included.
    kind: 'env',
    pattern: /^((?:export |declare -x |\+ )?)([A-Z][A-Z0-9_]{0,128})=(.+)$/gs,
    replace: (whole, head = '', name = '', value = '') =>
      isSecretName(name) && !isHarmlessValue(value) ? `${head}${name}=${markFor(name, 'env')}` : whole,
  },
  {
    kind: 'env',
    pattern:
      /((?:token|(?:client|app|shared|webhook)[_-]?secret|secret|passw|passphrase|credential|(?:api|access|account|private|signing|encryption)[_-]?key|key|jitconfig|_pat|_auth|_pwd)[A-Z0-9_]{0,48})( ?= ?|:[ \t]{1,16})("(?:[^"\\]|\\.)*"|'[^']*'|["']?[^\s"']+)/gi,
    replace: redactAssignment,
  },
  {
    kind: 'credential',
    pattern:
      /(?<=^|[\s"'[,])(--?[a-z-]{0,32}(?:token|secret|password|passphrase|jitconfig|pat|api-key|private-key))([ =]["']?)([^\s"']+)/g,
    replace: (whole, option = '', gap = '', value = '') =>
      isHarmlessValue(value) || value.startsWith('-') ? whole : `${option}${gap}${markFor(option, 'credential')}`,
  },
  {
    kind: 'credential',
    pattern:
      /("[a-z_.-]{0,24}(?:token|password|passwd|passphrase|secret_?key|private_?key|api_?key|client_?secret|jit_?config|access_?key|auth)\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}")([^"\\]+)/gi,
    replace: (whole, head = '', value = '') =>
      isHarmlessValue(value) ? whole : `${head}${markFor(head, 'credential')}`,
  },
  { kind: 'github-token', pattern: /gh[pousr]_[A-Za-z0-9]{16}[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*/g },
  // A truncated one has fewer.
  { kind: 'github-token', pattern: /gh[pousr]_[A-Za-z0-9]{6,15}$/g },
  { kind: 'github-token', pattern: /github_pat_[A-Za-z0-9_]{16,}/g },
  {
    kind: 'gitlab-token',
    pattern: /gl(?:pat|rt|rtr|cbt|dt|ptt|ft|imt|agent|soat|oas|ffct)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*/g,
  },
  { kind: 'gitlab-token', pattern: /GR1348941[A-Za-z0-9_-]{16,}/g },
  { kind: 'jwt', pattern: /eyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g },
  {
    // The secret half of a pair has no recognisable form.
    kind: 'aws-key',
    pattern: /(A[KS]IA[A-Z0-9]{16}[^A-Za-z0-9/+][^]{0,64}?)(?<![\w/+])[A-Za-z0-9/+]{40}(?![\w/+=])/g,
    replace: (_, head = '') => `${head}${mark('aws-key')}`,
  },
  { kind: 'aws-key', pattern: /A[KS]IA(?:[A-Z0-9]{16}|[A-Z0-9]{6,15}$)/g },
  { kind: 'credential', pattern: /xox[abeprs]-[A-Za-z0-9-]{10,}/g },
  { kind: 'credential', pattern: /npm_[A-Za-z0-9]{36}/g },
  { kind: 'credential', pattern: /AIza[A-Za-z0-9_-]{35}/g },
  { kind: 'credential', pattern: /hv[sb]\.[A-Za-z0-9_-]{20,}/g },
  {
    // The URL itself is the credential.
    kind: 'credential',
    pattern:
      /((?:hooks\.slack\.com|webhook\.office\.com|discord(?:app)?\.com\\?\/api\\?\/webhooks)\\?\/)((?:[^\s"'<>\\‹]|\\\/){16,})/g,
    replace: (_, host = '') => `${host}${mark('credential')}`,
  },
  {
    kind: 'credential',
    pattern: /( -u|--user)([ =]["']?[^\s:"']{1,64}:)([^\s"']+)/g,
    replace: (whole, option = '', user = '', value = '') =>
      // A container's user and group.
      isHarmlessValue(value) || /^\d+$/.test(value) ? whole : `${option}${user}${mark('credential')}`,
  },
  {
    kind: 'credential',
    pattern: /(machine\s{1,8}[^\s"'\\]{1,255}\s{1,8}login\s{1,8}[^\s"'\\]{1,255}\s{1,8}password\s{1,8})([^\s"'\\]+)/g,
    replace: (whole, head = '', value = '') => (isHarmlessValue(value) ? whole : `${head}${mark('credential')}`),
  },
  {
    kind: 'credential',
    pattern: /(cookie\\{0,8}["']?\s?:\s{0,4}\\{0,8}["']?)([^\s"'\\=‹]{1,128}=[^"'\\\r\n]{8,})/gi,
    replace: (_, head = '') => `${head}${mark('credential')}`,
  },
  {
    kind: 'signature',
    pattern:
      /([?&](?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|client_secret)=)([^&\s"']+)/gi,
    replace: (whole, head = '', value = '') => (isHarmlessValue(value) ? whole : `${head}${mark('signature')}`),
  },
  { kind: 'job-message', pattern: /(?<=Job message: ?)\{.*$/gs },
  {
    kind: 'private-key',
    pattern: /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/gs,
  },
]

const LOWER_CASE_NAME =
  /(?:token|(?:client|app|shared|webhook)[_-]?secret|password|passwd|passphrase|(?:api|access|account|private|signing|encryption)[_-]?key)$/i

function redactAssignment(whole: string, name = '', sign = '', value = ''): string {
  const quote = /^["']/.exec(value)?.[0] ?? ''
  const bare = value.slice(quote.length, quote !== '' && value.endsWith(quote) ? -1 : undefined)
  if (isHarmlessValue(bare) || !isSecretAssignment(name, sign, bare)) return whole
  return `${name}${sign}${quote}${markFor(name, 'env')}${quote}`
}

/** Plain words before a colon are often prose ("invalid token: it has expired"). */
function isSecretAssignment(name: string, sign: string, value: string): boolean {
  if (/^[A-Z0-9_]+$/.test(name)) return isSecretName(name)
  return LOWER_CASE_NAME.test(name) && (!sign.startsWith(':') || looksGenerated(value))
}

function looksGenerated(value: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])[^/]{8,}/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value)
}

function markFor(name: string, otherwise: RedactionKind): string {
  return mark(isJitName(name) ? 'jit-config' : otherwise)
}

/** Replaces everything in the text that looks like a secret. */
export function applyRules(text: string): string {
  let redacted = text
  for (const { kind, pattern, replace } of RULES) redacted = redacted.replace(pattern, replace ?? (() => mark(kind)))
  return redacted.replace(ENCODED, hideEncoded)
}

const ENCODED = /[A-Za-z0-9+/]{40,}={0,2}/g

/** Base64 in which one of the rules finds something. Digests in hexadecimal have no capitals. */
function hideEncoded(run: string): string {
  if (!/[A-Z]/.test(run) || !/[a-z]/.test(run)) return run
  const text = decodeBase64(run)
  return text !== null && mayHoldSecret(text) && applyRules(text) !== text ? mark('base64') : run
}

/** The end of a truncated text means nothing and is dropped. */
function decodeBase64(text: string): string | null {
  const whole = text.length % 4 === 0 ? text : text.slice(0, text.length - (text.length % 4))
  try {
    return atob(whole)
  } catch {
    return null
  }
}
