import { seedChance } from '#test/bundles/mutate-chance.ts'

/** A secret as programs print it, and the part of it that must never be shown. None of these is a real credential. */
export type Shape = {
  readonly name: string
  /** On one line. */
  readonly line: string
  /** As a program prints it on several lines. */
  readonly block?: string
  readonly bodies: readonly string[]
  /** It can be part of a name, between other letters. */
  readonly fitsName?: true
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
let seed = 7_000

/** A different one at each call, the same sequence in each run. */
function random(length: number, letters = LETTERS): string {
  seed += 1
  const chance = seedChance(seed)
  return Array.from({ length }, () => letters[chance.int(letters.length)]).join('')
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const token = (prefix: string, length = 36): Shape => {
  const body = `${prefix}${random(length)}`
  return { name: prefix, line: `using ${body} now`, bodies: [body.slice(prefix.length)], fitsName: true }
}

/** A secret that only its context gives away. */
const within = (name: string, print: (secret: string) => string, secret = random(28)): Shape => ({
  name,
  line: print(secret),
  bodies: [secret],
})

const jit = base64(
  JSON.stringify({
    '.runner': base64(JSON.stringify({ agentId: 7, agentName: random(12), serverUrlV2: 'https://broker.example.com' })),
    '.credentials': base64(JSON.stringify({ scheme: 'OAuth', data: { clientId: random(20) } })),
    '.credentials_rsaparams': base64(JSON.stringify({ d: random(300), modulus: random(300) })),
  }),
)

const keyLines = Array.from({ length: 12 }, () => random(64, `${LETTERS}+/`))
const pem = (kind: string): string =>
  [`-----BEGIN ${kind}PRIVATE KEY-----`, ...keyLines, `-----END ${kind}PRIVATE KEY-----`].join('\n')

const registryPassword = random(24)
const registryAuth = base64(`robot:${registryPassword}`)
const dockerConfig = JSON.stringify({
  auths: { 'registry.example.com': { username: 'robot', password: registryPassword, auth: registryAuth } },
})

const jwtClaims = base64(JSON.stringify({ sub: 'system:serviceaccount:a:b', jti: random(30) })).replace(/=+$/, '')
const jwtSignature = random(80, `${LETTERS}_-`)

const headerToken = base64(`x-access-token:ghs_${random(36)}`)

const customer = random(40)
const jobMessage = JSON.stringify(
  { messageType: 'PipelineAgentJobRequest', variables: { x: { value: customer, isSecret: true } } },
  null,
  2,
)

export const SHAPES: readonly Shape[] = [
  ...['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'].map((prefix) => token(prefix)),
  token('github_pat_11ABCDEFG0', 70),
  { name: 'JIT configuration', line: `./run.sh --jitconfig ${jit}`, bodies: [jit] },
  { name: 'JIT configuration alone', line: jit, bodies: [jit] },
  { name: 'JIT configuration in an answer', line: `{"runner":{"id":3},"encoded_jit_config":"${jit}"}`, bodies: [jit] },
  { name: 'JIT configuration of the environment', line: `ACTIONS_RUNNER_INPUT_JITCONFIG=${jit}`, bodies: [jit] },
  within(
    'AWS pair',
    (secret) =>
      `AWS_ACCESS_KEY_ID=AKIA${random(16, LETTERS.toUpperCase().slice(0, 26))} AWS_SECRET_ACCESS_KEY=${secret}`,
    random(40),
  ),
  within('AWS key id', (secret) => `for ${secret} denied`, `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`),
  within('AWS secret in a file', (secret) => `aws_secret_access_key = ${secret}`, random(40)),
  within(
    'AWS answer',
    (secret) => `{"Credentials":{"SecretAccessKey":"${secret}","SessionToken":"${secret}"}}`,
    random(40),
  ),
  within('bearer header', (secret) => `Authorization: Bearer ${secret}`),
  within('bearer header of curl', (secret) => `curl -H 'authorization: bearer ${secret}' https://example.com`),
  within('bearer header in Go', (secret) => `map["Authorization":["Bearer ${secret}"]]`),
  within('basic header', (secret) => `Proxy-Authorization: Basic ${secret}`, base64(`robot:${random(20)}`)),
  { name: 'private key', line: JSON.stringify({ key: pem('RSA ') }), block: pem('RSA '), bodies: keyLines },
  {
    name: 'private key of OpenSSH',
    line: pem('OPENSSH ').replaceAll('\n', String.raw`\n`),
    block: pem('OPENSSH '),
    bodies: keyLines,
  },
  {
    name: 'private key in base64',
    line: `APP_PEM=${base64(pem('RSA '))}`,
    bodies: [base64(pem('RSA ')).slice(60, -60)],
  },
  { name: 'registry login', line: dockerConfig, bodies: [registryPassword, registryAuth] },
  {
    name: 'registry login in base64',
    line: `.dockerconfigjson: ${base64(dockerConfig)}`,
    bodies: [base64(dockerConfig).slice(100)],
  },
  {
    name: 'registry login in escapes',
    line: JSON.stringify({ data: dockerConfig }),
    bodies: [registryPassword, registryAuth],
  },
  {
    name: 'JWT',
    line: `got eyJhbGciOiJSUzI1NiJ9.${jwtClaims}.${jwtSignature} back`,
    bodies: [jwtClaims, jwtSignature],
  },
  within('URL with a password', (secret) => `cloning https://robot:${secret}@git.example.com/a/b.git`),
  within(
    'URL with a token alone',
    (secret) => `cloning https://${secret}@git.example.com/a/b.git`,
    random(40, '0123456789abcdef'),
  ),
  within('database URL', (secret) => `postgres://app:${secret}@db:5432/x refused`),
  within('webhook of Slack', (secret) => `POST https://hooks.slack.com/services/T0000/B0000/${secret} 200`),
  within(
    'webhook of Discord',
    (secret) => `POST https://discord.com/api/webhooks/123456789012345678/${secret} 204`,
    random(68),
  ),
  within('signed URL', (secret) => `GET https://x.example.com/log?se=2026&sig=${secret}&sp=r`),
  {
    name: 'job message',
    line: `Job message: ${JSON.stringify(JSON.parse(jobMessage))}`,
    block: `[WORKER 2026-11-15 20:00:00Z INFO Worker] Job message:\n ${jobMessage}`,
    bodies: [customer],
  },
  { name: 'token in base64', line: `header ${headerToken} sent`, bodies: [headerToken.slice(28)] },
  within('token in escapes', (secret) => JSON.stringify(JSON.stringify({ token: secret }))),
  within('option', (secret) => `./config.sh --unattended --token ${secret} --url https://example.com`),
  within('npm configuration', (secret) => `//registry.example.com/:_authToken=${secret}`),
  within('login of netrc', (secret) => `machine git.example.com login robot password ${secret}`),
  within('environment of a container', (secret) => `env: [NPM_TOKEN=${secret} PATH=/usr/bin]`),
]

const WINDOW = 12
const GRAMS = new Map(
  SHAPES.flatMap(({ name, bodies }) =>
    bodies.flatMap((body) =>
      Array.from({ length: body.length - WINDOW + 1 }, (_, at) => [body.slice(at, at + WINDOW), name] as const),
    ),
  ),
)

/** The names of the secrets of which twelve characters in a row can be seen in the text, with what is around them. */
export function seenIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at + WINDOW <= text.length; at += 1) {
    const name = GRAMS.get(text.slice(at, at + WINDOW))
    if (name !== undefined && !found.has(name)) found.set(name, text.slice(Math.max(0, at - 80), at + WINDOW + 20))
  }
  return found
}
