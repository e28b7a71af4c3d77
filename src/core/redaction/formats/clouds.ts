import type { CredentialFormat } from './credential-format.ts'

const AWS = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html'
const AZURE = 'https://learn.microsoft.com/purview/sit-defn-all-creds'
const GOOGLE = 'https://cloud.google.com/docs/authentication/token-types'

/** Clouds and hosts of applications. */
export const CLOUDS: readonly CredentialFormat[] = [
  {
    name: 'AWS access key id',
    kind: 'aws-key',
    shapes: ['AKIA[A-Z0-9]{16}', 'ASIA[A-Z0-9]{16}'],
    source: AWS,
  },
  {
    name: 'AWS service key id',
    kind: 'aws-key',
    // Also found in hexadecimal digits.
    shapes: ['ABIA[A-Z0-9]{16}', 'ACCA[A-Z0-9]{16}'],
    isWord: true,
    source: AWS,
  },
  {
    name: 'AWS session token',
    kind: 'aws-key',
    shapes: ['IQoJb3JpZ2lu[A-Za-z0-9+/=]{64,}', 'FwoGZXIvYXdz[A-Za-z0-9+/=]{64,}', 'FQoGZXIvYXdz[A-Za-z0-9+/=]{64,}'],
    source: AWS,
  },
  {
    name: 'AWS Bedrock key',
    kind: 'aws-key',
    shapes: ['ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{32,}', 'bedrock-api-key-[A-Za-z0-9+/=_-]{32,}'],
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html',
  },
  { name: 'Google API key', shapes: ['AIza[A-Za-z0-9_-]{35}'], source: GOOGLE },
  {
    name: 'Google OAuth token and client secret',
    shapes: [String.raw`ya29\.[A-Za-z0-9_-]{20}[A-Za-z0-9_.-]{0,}`, 'GOCSPX-[A-Za-z0-9_-]{20,}'],
    source: GOOGLE,
  },
  { name: 'Google refresh token', shapes: ['1//0[A-Za-z0-9_-]{40,}'], isWord: true, source: GOOGLE },
  {
    name: 'Azure client secret',
    shapes: ['7', '8', '9'].map((digit) => `[A-Za-z0-9_~.-]{3}${digit}Q~[A-Za-z0-9_~.-]{31,34}`),
    source: AZURE,
  },
  {
    name: 'Azure key with a signature: storage, Cosmos, registry, Service Bus, Event Hubs, IoT, Batch, Functions, Search, cache',
    shapes: [
      String.raw`[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/=]{8}`,
      '[A-Za-z0-9+/]{76}ACDb[A-Za-z0-9+/=]{8}',
      String.raw`[A-Za-z0-9+/]{42}\+ACR[A-Za-z0-9+/]{6}`,
      ...['ASb', 'AEh', 'ARm', 'AIoT'].map((product) => String.raw`[A-Za-z0-9+/]{33}\+${product}[A-Za-z0-9+/=]{5,}`),
      String.raw`[A-Za-z0-9+/]{76}\+ABa[A-Za-z0-9+/=]{8}`,
      '[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_=-]{8}',
      '[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{6}',
      '[A-Za-z0-9]{33}AzCa[A-Za-z0-9=]{7}',
    ],
    isWord: true,
    source: AZURE,
  },
  {
    name: 'DigitalOcean token',
    shapes: ['dop_v1_[a-f0-9]{40,}', 'doo_v1_[a-f0-9]{40,}', 'dor_v1_[a-f0-9]{40,}'],
    source: 'https://docs.digitalocean.com/reference/api/create-personal-access-token/',
  },
  {
    name: 'Heroku key',
    shapes: ['HRKU-[A-Za-z0-9_-]{36,}'],
    source: 'https://devcenter.heroku.com/articles/authentication',
  },
  {
    name: 'Fly token',
    shapes: ['fm1a_', 'fm1r_', 'fm2_', 'fo1_'].map((prefix) => `${prefix}[A-Za-z0-9+/=_,-]{32,}`),
    source: 'https://fly.io/docs/security/tokens/',
  },
  {
    name: 'Cloudflare token and origin CA key',
    shapes: [
      String.raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}`,
      ...['cfut_', 'cfat_', 'cfk_'].map((prefix) => `${prefix}[A-Za-z0-9_-]{32,}`),
    ],
    source: 'https://developers.cloudflare.com/fundamentals/api/get-started/token-formats/',
  },
  {
    name: 'Vercel token',
    shapes: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'].map((prefix) => `${prefix}[A-Za-z0-9]{40,}`),
    source: 'https://vercel.com/docs/accounts/create-an-access-token',
  },
  {
    name: 'Netlify token',
    shapes: ['nfp_', 'nfc_', 'nfo_', 'nfb_', 'nfu_'].map((prefix) => `${prefix}[A-Za-z0-9]{36,}`),
    source: 'https://docs.netlify.com/api/get-started/',
  },
  { name: 'Render key', shapes: ['rnd_[A-Za-z0-9]{24,}'], isWord: true, source: 'https://render.com/docs/api' },
  {
    name: 'Supabase token and secret key',
    shapes: ['sbp_[A-Za-z0-9_]{40,}', 'sb_secret_[A-Za-z0-9_-]{22,}'],
    source: 'https://supabase.com/docs/guides/api/api-keys',
  },
  {
    name: 'PlanetScale token and password',
    shapes: ['tkn', 'pw', 'oauth'].map((type) => `pscale_${type}_[A-Za-z0-9_.=-]{32,}`),
    source: 'https://planetscale.com/docs/api/reference/service-tokens',
  },
  { name: 'Neon key', shapes: ['napi_[a-z0-9]{40,}'], source: 'https://neon.com/docs/manage/api-keys' },
  {
    name: 'Alibaba key id',
    shapes: ['LTAI[A-Za-z0-9]{12,24}'],
    isWord: true,
    source: 'https://www.alibabacloud.com/help/ram/user-guide/create-an-accesskey-pair',
  },
  {
    name: 'Tencent key id',
    shapes: ['AKID[A-Za-z0-9]{32}'],
    source: 'https://www.tencentcloud.com/document/product/598/32675',
  },
  {
    name: 'Yandex key',
    shapes: ['AQVN[A-Za-z0-9_-]{35,38}'],
    source: 'https://yandex.cloud/docs/iam/concepts/authorization/api-key',
  },
  {
    name: 'Tailscale key',
    shapes: ['tskey-[A-Za-z0-9-]{20,}'],
    source: 'https://tailscale.com/kb/1085/auth-keys',
  },
]
