import { encode, encodeForUrl } from './format.ts'
import type { Format } from './format.ts'

/** Clouds and hosts of applications. */
export const CLOUDS: readonly Format[] = [
  { name: 'AWS access key id', variable: 'AWS_ACCESS_KEY_ID', build: (draw) => `AKIA${draw.upper(16)}` },
  { name: 'AWS temporary key id', variable: 'AWS_ACCESS_KEY_ID', build: (draw) => `ASIA${draw.upper(16)}` },
  {
    name: 'AWS secret access key',
    variable: 'AWS_SECRET_ACCESS_KEY',
    build: (draw) => draw.base64(40),
    isShapeless: true,
  },
  {
    name: 'AWS session token',
    variable: 'AWS_SESSION_TOKEN',
    build: (draw) => `IQoJb3JpZ2luX2Vj${draw.base64(340)}==`,
  },
  {
    name: 'AWS Bedrock key',
    variable: 'AWS_BEARER_TOKEN_BEDROCK',
    build: (draw) => `ABSK${encode(`BedrockAPIKey-${draw.lower(4)}-at-123456789012:${draw.alnum(44)}`)}`,
  },
  { name: 'Google API key', variable: 'GOOGLE_API_KEY', build: (draw) => `AIza${draw.url(35)}` },
  { name: 'Google OAuth access token', variable: 'GOOGLE_TOKEN', build: (draw) => `ya29.${draw.url(180)}` },
  { name: 'Google OAuth client secret', variable: 'GOOGLE_CLIENT_SECRET', build: (draw) => `GOCSPX-${draw.url(28)}` },
  { name: 'Google refresh token', variable: 'GOOGLE_REFRESH_TOKEN', build: (draw) => `1//0${draw.url(98)}` },
  {
    name: 'Azure client secret',
    variable: 'AZURE_CLIENT_SECRET',
    build: (draw) => `${draw.alnum(3)}8Q~${draw.alnum(34)}`,
  },
  {
    name: 'Azure storage key',
    variable: 'AZURE_STORAGE_KEY',
    build: (draw) => `${draw.alnum(76)}+ASt${draw.alnum(6)}==`,
  },
  {
    name: 'Azure connection string',
    variable: 'AZURE_STORAGE_CONNECTION_STRING',
    build: (draw) =>
      `DefaultEndpointsProtocol=https;AccountName=example;AccountKey=${draw.base64(86)}==;EndpointSuffix=core.windows.net`,
  },
  {
    name: 'Azure SAS',
    variable: 'SAS_URL',
    build: (draw) => `https://example.blob.core.windows.net/logs?sv=2024-11-04&sp=r&sig=${draw.alnum(40)}%3D`,
  },
  { name: 'DigitalOcean token', variable: 'DIGITALOCEAN_TOKEN', build: (draw) => `dop_v1_${draw.hex(64)}` },
  { name: 'Heroku key', variable: 'HEROKU_API_KEY', build: (draw) => `HRKU-AA${draw.url(58)}` },
  { name: 'Heroku key (old)', variable: 'HEROKU_API_KEY', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'Fly token', variable: 'FLY_API_TOKEN', build: (draw) => `FlyV1 fm2_${draw.base64(200)}==` },
  { name: 'Fly token (old)', variable: 'FLY_API_TOKEN', build: (draw) => `fo1_${draw.url(43)}` },
  { name: 'Cloudflare token', variable: 'CLOUDFLARE_API_TOKEN', build: (draw) => draw.url(40), isShapeless: true },
  {
    name: 'Cloudflare origin CA key',
    variable: 'CLOUDFLARE_CA_KEY',
    build: (draw) => `v1.0-${draw.hex(24)}-${draw.hex(146)}`,
  },
  { name: 'Vercel token', variable: 'VERCEL_TOKEN', build: (draw) => draw.alnum(24), isShapeless: true },
  { name: 'Netlify token', variable: 'NETLIFY_AUTH_TOKEN', build: (draw) => `nfp_${draw.alnum(40)}` },
  { name: 'Render key', variable: 'RENDER_API_KEY', build: (draw) => `rnd_${draw.alnum(28)}` },
  { name: 'Supabase token', variable: 'SUPABASE_ACCESS_TOKEN', build: (draw) => `sbp_${draw.hex(40)}` },
  { name: 'Supabase secret key', variable: 'SUPABASE_KEY', build: (draw) => `sb_secret_${draw.url(31)}` },
  { name: 'PlanetScale token', variable: 'PLANETSCALE_TOKEN', build: (draw) => `pscale_tkn_${draw.url(43)}` },
  { name: 'PlanetScale password', variable: 'DATABASE_PASSWORD', build: (draw) => `pscale_pw_${draw.url(43)}` },
  { name: 'Neon key', variable: 'NEON_API_KEY', build: (draw) => `napi_${draw.lower(64)}` },
  { name: 'Hetzner token', variable: 'HCLOUD_TOKEN', build: (draw) => draw.alnum(64), isShapeless: true },
  { name: 'Scaleway secret key', variable: 'SCW_SECRET_KEY', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'Alibaba key id', variable: 'ALIBABA_ACCESS_KEY', build: (draw) => `LTAI${draw.alnum(20)}` },
  { name: 'Tencent key id', variable: 'TENCENTCLOUD_SECRET_ID', build: (draw) => `AKID${draw.alnum(32)}` },
  { name: 'Yandex key', variable: 'YC_API_KEY', build: (draw) => `AQVN${draw.url(36)}` },
  {
    name: 'Tailscale key',
    variable: 'TS_AUTHKEY',
    build: (draw) => `tskey-auth-${draw.alnum(12)}CNTRL-${draw.alnum(32)}`,
  },
  {
    name: 'Kubernetes service account token',
    variable: 'KUBE_TOKEN',
    build: (draw) =>
      `${encodeForUrl('{"alg":"RS256","kid":"k1"}')}.${encodeForUrl(`{"aud":["x"],"jti":"${draw.uuid()}"}`)}.${draw.url(342)}`,
  },
  {
    name: 'kubeconfig client key',
    variable: 'CLIENT_KEY_DATA',
    build: (draw) =>
      encode(
        `-----BEGIN RSA PRIVATE KEY-----\n${draw.base64(64)}\n${draw.base64(64)}\n-----END RSA PRIVATE KEY-----\n`,
      ),
  },
]
