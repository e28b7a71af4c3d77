import type { CredentialFormat } from './credential-format.ts'

/** Payment, shops and parcels. */
export const PAYMENTS: readonly CredentialFormat[] = [
  {
    name: 'Stripe key: secret, restricted, live and test',
    shapes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_org_'].map((prefix) => `${prefix}[A-Za-z0-9]{16,}`),
    source: 'https://docs.stripe.com/keys',
  },
  { name: 'Stripe webhook secret', shapes: ['whsec_[A-Za-z0-9+/=]{24,}'], source: 'https://docs.stripe.com/webhooks' },
  {
    name: 'Square token and secret',
    shapes: ['sq0atp-[A-Za-z0-9_-]{22,}', 'sq0csp-[A-Za-z0-9_-]{43,}', 'EAAA[A-Za-z0-9_-]{60}'],
    isWord: true,
    source: 'https://developer.squareup.com/docs/build-basics/access-tokens',
  },
  {
    name: 'Braintree access token',
    shapes: ['production', 'sandbox'].map((mode) => String.raw`access_token\$${mode}\$[a-z0-9]{16}\$[a-f0-9]{32}`),
    source: 'https://developer.paypal.com/braintree/docs/guides/extend/oauth/access-tokens',
  },
  {
    name: 'Shopify token and secret',
    shapes: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_', 'shprt_'].map((prefix) => `${prefix}[A-Fa-f0-9]{32}`),
    source: 'https://shopify.dev/changelog/length-of-the-shopify-access-token-is-increasing',
  },
  {
    name: 'Razorpay key',
    shapes: ['rzp_live_[A-Za-z0-9]{14}', 'rzp_test_[A-Za-z0-9]{14}'],
    source: 'https://razorpay.com/docs/payments/dashboard/account-settings/api-keys/',
  },
  {
    name: 'Plaid access token',
    shapes: ['production', 'development', 'sandbox'].map((mode) => `access-${mode}-[a-f0-9-]{36}`),
    source: 'https://plaid.com/docs/quickstart/glossary/',
  },
  {
    name: 'Paddle key',
    shapes: ['pdl_live_apikey_[A-Za-z0-9_]{40,}', 'pdl_sdbx_apikey_[A-Za-z0-9_]{40,}'],
    source: 'https://developer.paddle.com/api-reference/about/api-keys',
  },
  {
    name: 'Flutterwave key',
    shapes: ['FLWSECK-[A-Za-z0-9]{12,}', 'FLWSECK_TEST-[A-Za-z0-9]{12,}'],
    source: 'https://developer.flutterwave.com/docs/authentication',
  },
  {
    name: 'Shippo key',
    shapes: ['shippo_live_[a-f0-9]{40}', 'shippo_test_[a-f0-9]{40}'],
    source: 'https://docs.goshippo.com/docs/guides_general/authentication/',
  },
  {
    name: 'EasyPost key',
    shapes: ['EZAK[A-Za-z0-9]{54}', 'EZTK[A-Za-z0-9]{54}'],
    source: 'https://docs.easypost.com/docs/authentication',
  },
]
