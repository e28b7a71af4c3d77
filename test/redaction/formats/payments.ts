import type { Format } from './format.ts'

/** Payment and shops. */
export const PAYMENTS: readonly Format[] = [
  { name: 'Stripe secret key', variable: 'STRIPE_SECRET_KEY', build: (draw) => `sk_live_51${draw.alnum(97)}` },
  { name: 'Stripe secret key (old)', variable: 'STRIPE_SECRET_KEY', build: (draw) => `sk_live_${draw.alnum(24)}` },
  { name: 'Stripe test key', variable: 'STRIPE_KEY', build: (draw) => `sk_test_51${draw.alnum(97)}` },
  { name: 'Stripe restricted key', variable: 'STRIPE_KEY', build: (draw) => `rk_live_51${draw.alnum(97)}` },
  { name: 'Stripe webhook secret', variable: 'STRIPE_WEBHOOK_SECRET', build: (draw) => `whsec_${draw.alnum(32)}` },
  { name: 'Square access token', variable: 'SQUARE_ACCESS_TOKEN', build: (draw) => `EAAA${draw.url(60)}` },
  { name: 'Square OAuth secret', variable: 'SQUARE_SECRET', build: (draw) => `sq0csp-${draw.url(43)}` },
  { name: 'Square token (old)', variable: 'SQUARE_TOKEN', build: (draw) => `sq0atp-${draw.url(22)}` },
  {
    name: 'Braintree access token',
    variable: 'BRAINTREE_TOKEN',
    build: (draw) => `access_token$production$${draw.lower(16)}$${draw.hex(32)}`,
  },
  {
    name: 'PayPal client secret',
    variable: 'PAYPAL_CLIENT_SECRET',
    build: (draw) => `E${draw.url(79)}`,
    isShapeless: true,
  },
  { name: 'Shopify admin token', variable: 'SHOPIFY_TOKEN', build: (draw) => `shpat_${draw.hex(32)}` },
  { name: 'Shopify shared secret', variable: 'SHOPIFY_SECRET', build: (draw) => `shpss_${draw.hex(32)}` },
  { name: 'Shopify private app password', variable: 'SHOPIFY_PASSWORD', build: (draw) => `shppa_${draw.hex(32)}` },
  { name: 'Razorpay key', variable: 'RAZORPAY_KEY', build: (draw) => `rzp_live_${draw.alnum(14)}` },
  { name: 'Plaid access token', variable: 'PLAID_TOKEN', build: (draw) => `access-production-${draw.uuid()}` },
  {
    name: 'Paddle key',
    variable: 'PADDLE_API_KEY',
    build: (draw) => `pdl_live_apikey_01${draw.lower(24)}_${draw.alnum(22)}_${draw.alnum(3)}`,
  },
  { name: 'Flutterwave key', variable: 'FLW_SECRET_KEY', build: (draw) => `FLWSECK-${draw.hex(32)}-X` },
  { name: 'Shippo key', variable: 'SHIPPO_TOKEN', build: (draw) => `shippo_live_${draw.hex(40)}` },
  { name: 'EasyPost key', variable: 'EASYPOST_API_KEY', build: (draw) => `EZAK${draw.alnum(54)}` },
]
