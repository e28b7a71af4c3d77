import { describe, expect, it } from 'vitest'
import { redact } from '#/adapters/redaction/redact.ts'
import { encode, seedDraw } from './formats/format.ts'

const draw = seedDraw(99)

/** Published forms that were looked up after the rules were written. No row of the table is for one of them. */
const HELD_OUT: readonly (readonly [issuer: string, value: string])[] = [
  ['Adobe', `p8e-${draw.hex(32)}`],
  ['AWS MWS', `amzn.mws.${draw.uuid()}`],
  ['ClickHouse', `4b1d${draw.alnum(38)}`],
  ['Defined Networking', `dnkey-${draw.upper(26)}-${draw.upper(52)}`],
  ['Duffel', `duffel_live_${draw.url(43)}`],
  ['Octopus Deploy', `API-${draw.upper(26)}`],
  ['OpenShift', `sha256~${draw.url(43)}`],
  ['Scalingo', `tk-us-${draw.url(48)}`],
  ['SettleMint', `sm_pat_${draw.alnum(16)}`],
  ['Infracost', `ico-${draw.alnum(32)}`],
  ['MaxMind', `${draw.alnum(6)}_${draw.alnum(29)}_mmk`],
  ['Lob', `live_${draw.hex(35)}`],
  ['Persona', `persona_production_${draw.uuid()}`],
  ['Intra42', `s-s4t2ud-${draw.hex(64)}`],
  ['GoCardless', `live_${draw.url(40)}`],
  ['Sanity', `sk${draw.alnum(150)}`],
  ['QStash', `qstash_${draw.alnum(40)}`],
  ['Turso', `eyJhbGciOiJFZERTQSJ9.${draw.url(60)}.${draw.url(86)}`],
  ['Discord', `Bot MTE${draw.alnum(23)}.${draw.url(6)}.${draw.url(38)}`],
  ['Rootly', `rootly_${draw.hex(64)}`],
]

const isShown = (text: string, value: string): boolean => redact(text).includes(value.slice(-12))

describe('a credential of an issuer that no row is for', () => {
  it.each(HELD_OUT)('is hidden behind a name: %s', (issuer, value) => {
    const variable = `${issuer.toUpperCase().replaceAll(/\W/g, '_')}_API_KEY`
    expect(isShown(`      ${variable}:  ${value}`, value)).toBe(false)
  })

  it('is hidden in a plain line if it has capitals, small letters and digits', () => {
    const shown = HELD_OUT.filter(([, value]) => isShown(`INFO connecting with ${value} to upstream`, value))
    // One case only, or short: nothing in them differs from the ids and digests that a reader needs.
    expect(shown.map(([issuer]) => issuer)).toEqual([
      'Adobe',
      'AWS MWS',
      'Defined Networking',
      'Octopus Deploy',
      'OpenShift',
      'SettleMint',
      'Lob',
      'Persona',
      'Intra42',
      'Rootly',
    ])
  })

  it.each([
    ['PowerShell', (value: string) => `$env:DEPLOY_TOKEN = "${value}"`, draw.alnum(24)],
    ['a list of variables', (value: string) => `      - DB_PASSWORD=${value}`, 'hunter2'],
    ['settings.xml', (value: string) => `  <password>${value}</password>`, 'hunter2x'],
    ['SQL', (value: string) => `CREATE USER app IDENTIFIED BY '${value}'`, draw.alnum(16)],
    ['SQL of PostgreSQL', (value: string) => `ALTER USER app WITH PASSWORD '${value}';`, draw.alnum(16)],
    ['a variable before a command', (value: string) => `+ PGPASSWORD=${value} psql -h db`, 'hunter2'],
    ['.npmrc', (value: string) => `//npm.example.com/:_auth=${value}`, encode(`a:${draw.alnum(12)}`)],
    ['.pypirc', (value: string) => `password = ${value}`, 'hunter2'],
    ['az', (value: string) => `az login --service-principal -u app -p ${value} --tenant x`, draw.alnum(30)],
    ['kubectl', (value: string) => `kubectl create secret generic x --from-literal=password=${value}`, 'hunter2'],
    ['ansible', (value: string) => `ansible_become_pass: ${value}`, draw.alnum(14)],
    ['a property of Java', (value: string) => `java -Djavax.net.ssl.keyStorePassword=${value} -jar x`, 'changeit7'],
    ['wget', (value: string) => `wget --http-password=${value} https://x.example.com`, 'hunter2'],
    ['terraform', (value: string) => `terraform apply -var db_password=${value}`, 'hunter2'],
    ['Set-Cookie', (value: string) => `< Set-Cookie: session=${value}; HttpOnly`, draw.alnum(32)],
    ['a header', (value: string) => `> apikey: ${value}`, draw.alnum(32)],
    ['a query', (value: string) => `GET https://api.example.com/v1?key=${value}&x=1`, draw.alnum(32)],
    ['Python', (value: string) => `{'password': '${value}', 'user': 'x'}`, 'hunter2'],
    ['Go', (value: string) => `&Config{Host:"db", Password:"${value}", Port:5432}`, 'correcthorse'],
    ['logfmt', (value: string) => `level=debug msg="login" user=bob password=${value}`, 'hunter2'],
  ])('is hidden as %s prints it', (_, print, value) => {
    expect(redact(print(value))).not.toContain(value)
  })
})
