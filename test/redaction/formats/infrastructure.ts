import { encode, encodeForUrl } from './format.ts'
import type { Format } from './format.ts'

/** Stores of secrets, infrastructure as code, identity, databases. */
export const INFRASTRUCTURE: readonly Format[] = [
  { name: 'Vault service token', variable: 'VAULT_TOKEN', build: (draw) => `hvs.${draw.url(95)}` },
  { name: 'Vault batch token', variable: 'VAULT_TOKEN', build: (draw) => `hvb.${draw.url(138)}` },
  { name: 'Vault token (old)', variable: 'VAULT_TOKEN', build: (draw) => `s.${draw.alnum(24)}`, isShapeless: true },
  {
    name: 'Terraform Cloud token',
    variable: 'TFE_TOKEN',
    build: (draw) => `${draw.alnum(14)}.atlasv1.${draw.alnum(67)}`,
  },
  { name: 'Pulumi token', variable: 'PULUMI_ACCESS_TOKEN', build: (draw) => `pul-${draw.hex(40)}` },
  { name: 'Doppler personal token', variable: 'DOPPLER_TOKEN', build: (draw) => `dp.pt.${draw.alnum(43)}` },
  { name: 'Doppler service token', variable: 'DOPPLER_TOKEN', build: (draw) => `dp.st.prd.${draw.alnum(43)}` },
  {
    name: '1Password service account',
    variable: 'OP_SERVICE_ACCOUNT_TOKEN',
    build: (draw) =>
      `ops_${encode(`{"signInAddress":"example.1password.com","secretKey":"A3-${draw.upper(6)}","muk":{"k":"${draw.url(43)}"}}`)}`,
  },
  {
    name: '1Password secret key',
    variable: 'OP_SECRET_KEY',
    build: (draw) =>
      `A3-${draw.upper(6)}-${draw.upper(6)}-${draw.upper(5)}-${draw.upper(5)}-${draw.upper(5)}-${draw.upper(5)}`,
  },
  { name: 'Okta token', variable: 'OKTA_API_TOKEN', build: (draw) => `00${draw.url(40)}`, isShapeless: true },
  { name: 'Auth0 client secret', variable: 'AUTH0_CLIENT_SECRET', build: (draw) => draw.url(64), isShapeless: true },
  {
    name: 'Snowflake password',
    variable: 'SNOWFLAKE_PASSWORD',
    build: (draw) => `${draw.alnum(12)}!x`,
    isShapeless: true,
  },
  {
    name: 'MongoDB URL',
    variable: 'MONGODB_URI',
    build: (draw) => `mongodb+srv://app:${draw.alnum(20)}@cluster0.example.net/db`,
  },
  {
    name: 'PostgreSQL URL',
    variable: 'DATABASE_URL',
    build: (draw) => `postgresql://app:${draw.alnum(20)}@db:5432/x?sslmode=require`,
  },
  { name: 'MySQL URL', variable: 'DATABASE_URL', build: (draw) => `mysql://root:${draw.alnum(20)}@127.0.0.1:3306/x` },
  {
    name: 'Redis URL without a user',
    variable: 'REDIS_URL',
    build: (draw) => `redis://:${draw.alnum(20)}@cache:6379/0`,
  },
  { name: 'AMQP URL', variable: 'AMQP_URL', build: (draw) => `amqps://app:${draw.alnum(20)}@mq.example.com/vhost` },
  {
    name: 'ADO connection string',
    variable: 'CONNECTION',
    build: (draw) => `Server=db;Database=x;User Id=sa;Password=${draw.alnum(18)};Encrypt=true`,
  },
  { name: 'MySQL DSN of Go', variable: 'DSN', build: (draw) => `app:${draw.alnum(20)}@tcp(db:3306)/x` },
  { name: 'libpq string', variable: 'DSN', build: (draw) => `host=db user=app password=${draw.alnum(18)} dbname=x` },
  { name: 'MongoDB Atlas secret', variable: 'ATLAS_CLIENT_SECRET', build: (draw) => `mdb_sa_sk_${draw.url(40)}` },
  { name: 'age key', variable: 'SOPS_AGE_KEY', build: (draw) => `AGE-SECRET-KEY-1${draw.upper(58)}` },
  {
    name: 'RSA key on one line',
    variable: 'APP_PRIVATE_KEY',
    build: (draw) =>
      String.raw`-----BEGIN RSA PRIVATE KEY-----\n${draw.base64(64)}\n${draw.base64(64)}\n-----END RSA PRIVATE KEY-----`,
  },
  {
    name: 'PGP key on one line',
    variable: 'GPG_PRIVATE_KEY',
    build: (draw) =>
      String.raw`-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${draw.base64(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  },
  {
    name: 'JWT',
    variable: 'ID_TOKEN',
    build: (draw) =>
      `${encodeForUrl('{"alg":"HS256"}')}.${encodeForUrl(`{"sub":"${draw.digits(10)}"}`)}.${draw.url(43)}`,
  },
]
