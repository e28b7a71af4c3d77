/** Names of secrets, and the values in their place that are none. */

const SECRET_WORD =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|KEY|JITCONFIG|AUTHORIZATION|COOKIE|CONNECTION_?STRING|(?:^|_)(?:PAT|AUTH|CREDS)$|_(?:PWD|PASS)$/i

/** The location, name or lifetime of a secret, not the secret itself. */
const ABOUT_A_SECRET =
  /(?:PATH|FILE|NAME|DIR|URL|ENDPOINT|TTL|SECONDS|EXPIRY|EXPIRES(?:_?(?:AT|IN))?|VERSION|ENABLED|COUNT|LENGTH|LIMIT|ALGORITHM|TYPE)$/i

/** The name of an environment variable, header or option whose value must be hidden. */
export function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) && !ABOUT_A_SECRET.test(name)
}

/**
 * How much a name says about its value. `certain`: a secret, whatever it looks like. `usual`: a secret if it is not a
 * word. `possible`: a secret if it looks random, and no hash.
 */
export type NameWeight = 'certain' | 'usual' | 'possible' | 'none'

const KEY_OF_ACCESS =
  /(?:api|access|account|private|signing|encryption|auth|master|licen[cs]e|storage|shared|admin|ssh|deploy|service|subscription|secret|sdk|app|ca|client|host|session|registration|webhook)[_.-]?key$/i
const CERTAIN =
  /(?:token|(?:client|app|shared|webhook|consumer|signing)[_.-]?secret|password|passwd|passphrase|jit[_.-]?config)$/i
const USUAL =
  /(?:[_.-]secret|credentials?|creds|connection[_.-]?string|(?:^|[_.-])(?:pat|auth|pwd)|[_.-]pass)$|(?:^|[._-])key[_.-]data$/i
const USUAL_IN_CAMEL_CASE = /[a-z](?:Secret|Pat|Auth|Pwd|Pass|KeyData)$/
const POSSIBLE = /token|secret|passw|passphrase|credential|key/i
/** Keys of caches, tables and maps, and words that only contain "key" or "token". */
const OTHER_KEY =
  /(?:cache|primary|foreign|sort|partition|routing|idempotency|group|object|lookup|hash|job|map|restore|row|topology|release|pub|dedup|s3)s?[_.-]?keys?$|keyboard|keymap|keyword|monkey|tokeni[sz]er|tokens$/i

export function weighName(name: string): NameWeight {
  if (ABOUT_A_SECRET.test(name) || /public|trusted/i.test(name)) return 'none'
  if (OTHER_KEY.test(name)) return 'possible'
  if (/^[A-Z][A-Z0-9_]*$/.test(name)) return SECRET_WORD.test(name) ? 'certain' : 'none'
  if (CERTAIN.test(name) || KEY_OF_ACCESS.test(name)) return 'certain'
  if (USUAL.test(name) || USUAL_IN_CAMEL_CASE.test(name)) return 'usual'
  return POSSIBLE.test(name) ? 'possible' : 'none'
}

const SECRET_KEYS = new Set([
  'accesstoken',
  'apikey',
  'apitoken',
  'auth',
  'authorization',
  'authtoken',
  'clientsecret',
  'encodedjitconfig',
  'githubtoken',
  'idtoken',
  'identitytoken',
  'jitconfig',
  'jittoken',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'privatetoken',
  'refreshtoken',
  'registrationtoken',
  'registrytoken',
  'runnerjitconfig',
  'runnertoken',
  'secretaccesskey',
  'secretkey',
  'sessiontoken',
  'systemaccesstoken',
  'token',
])

/**
 * A key in a document. Kubernetes has many keys that only refer to secrets (`secretName`, `tlsPrivateKeyFile`), so the
 * ordinary spelling must be known; a key in capitals is an environment variable.
 */
export function isSecretKey(key: string): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(key)) return isSecretName(key)
  return SECRET_KEYS.has(key.toLowerCase().replaceAll(/[_.-]/g, ''))
}

export function isJitName(name: string): boolean {
  return /jit_?(?:config|token)/i.test(name)
}

/** Values in the place of a secret that are none: empty, a boolean, a reference, a mask, a placeholder, our own mark. */
export function isHarmlessValue(value: string): boolean {
  if (value.length > LONGEST_HARMLESS) return false
  return [value, value.replace(/[;,)`]{1,4}$/, '')].some((one) => HARMLESS.test(one) || PLACEHOLDER.test(one))
}

const LONGEST_HARMLESS = 256
const HARMLESS =
  /^(?:|true|false|null|nil|none|undefined|string|[<[(]?(?:redacted|hidden|masked|secret)[>\])]?|[*.…•xX-]+|\$\(?\w+\)?|\$\{[^}]*\}|\{\{[^}]*\}\}|\$\{\{[^}]*\}\}|%\w+%|<[\w .-]+>|‹redacted:[a-z0-9-]+›)$/i
/** What a manual writes in the place of a value, and a file that holds it. */
const PLACEHOLDER =
  /^(?:(?:[A-Z]{1,20}_){0,4}(?:TOKEN|PASSWORD|SECRET|KEY|NAME|FILE|VALUE|PATH)|\.{0,2}(?:\/[a-z][a-z0-9._-]{0,40}){2,8})$/
