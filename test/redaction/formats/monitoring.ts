import { encode } from './format.ts'
import type { Format } from './format.ts'

/** Monitoring and alerts. */
export const MONITORING: readonly Format[] = [
  { name: 'Datadog API key', variable: 'DD_API_KEY', build: (draw) => draw.hex(32), isShapeless: true },
  { name: 'Datadog application key', variable: 'DD_APP_KEY', build: (draw) => draw.hex(40), isShapeless: true },
  { name: 'New Relic user key', variable: 'NEW_RELIC_API_KEY', build: (draw) => `NRAK-${draw.upper(27)}` },
  { name: 'New Relic licence key', variable: 'NEW_RELIC_LICENSE_KEY', build: (draw) => `${draw.hex(36)}NRAL` },
  {
    name: 'Grafana service account token',
    variable: 'GRAFANA_TOKEN',
    build: (draw) => `glsa_${draw.alnum(32)}_${draw.hex(8)}`,
  },
  {
    name: 'Grafana Cloud token',
    variable: 'GRAFANA_CLOUD_TOKEN',
    build: (draw) => `glc_${encode(`{"o":"123456","n":"stack","k":"${draw.alnum(24)}","m":{"r":"eu"}}`)}`,
  },
  {
    name: 'Sentry organisation token',
    variable: 'SENTRY_AUTH_TOKEN',
    build: (draw) => `sntrys_${encode('{"iat":1767225600.1,"url":"https://sentry.io","org":"x"}')}_${draw.url(43)}`,
  },
  { name: 'Sentry user token', variable: 'SENTRY_AUTH_TOKEN', build: (draw) => `sntryu_${draw.hex(64)}` },
  { name: 'Sentry DSN', variable: 'SENTRY_DSN', build: (draw) => `https://${draw.hex(32)}@o123.ingest.sentry.io/456` },
  { name: 'Honeycomb key', variable: 'HONEYCOMB_API_KEY', build: (draw) => `hcaik_01${draw.lower(56)}` },
  { name: 'Honeycomb key (old)', variable: 'HONEYCOMB_API_KEY', build: (draw) => draw.alnum(22), isShapeless: true },
  { name: 'Splunk HEC token', variable: 'SPLUNK_HEC_TOKEN', build: (draw) => draw.uuid(), isShapeless: true },
  { name: 'Dynatrace token', variable: 'DT_API_TOKEN', build: (draw) => `dt0c01.${draw.upper(24)}.${draw.upper(64)}` },
  { name: 'Axiom token', variable: 'AXIOM_TOKEN', build: (draw) => `xaat-${draw.uuid()}` },
  { name: 'PostHog personal key', variable: 'POSTHOG_API_KEY', build: (draw) => `phx_${draw.alnum(43)}` },
  {
    name: 'Elastic API key',
    variable: 'ELASTIC_API_KEY',
    build: (draw) => encode(`${draw.url(20)}:${draw.url(22)}`),
    isShapeless: true,
  },
  { name: 'LaunchDarkly access token', variable: 'LD_ACCESS_TOKEN', build: (draw) => `api-${draw.uuid()}` },
  { name: 'LaunchDarkly SDK key', variable: 'LD_SDK_KEY', build: (draw) => `sdk-${draw.uuid()}` },
]
