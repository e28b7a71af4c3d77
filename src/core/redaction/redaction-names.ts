/** Names of secrets. The value of such a name is a secret, whatever it looks like. */

const SECRET_WORD = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|KEY|JITCONFIG|AUTHORIZATION|COOKIE|_PAT$|_AUTH$|_PWD$/i

/** The location, name or lifetime of a secret, not the secret itself. */
const ABOUT_A_SECRET = /(?:PATH|FILE|NAME|DIR|URL|ENDPOINT|TTL|SECONDS|EXPIRY|VERSION|ENABLED|COUNT)$/i

/** The name of an environment variable, header or option whose value must be hidden. */
export function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) && !ABOUT_A_SECRET.test(name)
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

/** Values in the place of a secret that are none: empty, a boolean, a reference, a mask, our own mark. */
export function isHarmlessValue(value: string): boolean {
  return /^(?:|true|false|null|none|<?redacted>?|\*+|\$\(?\w+\)?|\$\{[^}]*\}|\$\{\{[^}]*\}\}|‹redacted:[a-z0-9-]+›)$/i.test(
    value,
  )
}
