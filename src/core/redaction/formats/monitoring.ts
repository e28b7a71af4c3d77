import type { CredentialFormat } from './credential-format.ts'

/** Monitoring, alerts and feature flags. */
export const MONITORING: readonly CredentialFormat[] = [
  {
    name: 'New Relic key',
    shapes: [
      ...['NRAK-', 'NRAA-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRSP-'].map((prefix) => `${prefix}[A-Za-z0-9_-]{26,}`),
      '[a-f0-9]{36}NRAL',
    ],
    source: 'https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/',
  },
  {
    name: 'Grafana token: service account, cloud, legacy key',
    shapes: ['glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}', 'glc_[A-Za-z0-9+/=]{32,}', 'eyJrIjoi[A-Za-z0-9+/=]{40,}'],
    source: 'https://grafana.com/docs/grafana/latest/administration/service-accounts/',
  },
  {
    name: 'Sentry token',
    shapes: ['sntrys_[A-Za-z0-9+/=_]{40,}', 'sntryu_[a-f0-9]{64}', 'sntrya_[a-f0-9]{64}'],
    source: 'https://docs.sentry.io/account/auth-tokens/',
  },
  {
    name: 'Honeycomb key',
    shapes: ['hcaik_', 'hcbik_', 'hcalk_', 'hcamk_'].map((prefix) => `${prefix}[a-z0-9]{32,}`),
    source: 'https://docs.honeycomb.io/configure/environments/manage-api-keys/',
  },
  {
    name: 'Dynatrace token',
    shapes: [String.raw`dt0[a-z]{1}[0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`],
    source: 'https://docs.dynatrace.com/docs/dynatrace-api/basics/dynatrace-api-authentication',
  },
  {
    name: 'Axiom token',
    shapes: ['xaat-[a-f0-9-]{36}', 'xapt-[a-f0-9-]{36}'],
    source: 'https://axiom.co/docs/reference/tokens',
  },
  { name: 'PostHog personal key', shapes: ['phx_[A-Za-z0-9]{40,}'], source: 'https://posthog.com/docs/api' },
  {
    name: 'LaunchDarkly access token and SDK key',
    shapes: [
      'api-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}',
      'sdk-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}',
    ],
    isWord: true,
    source: 'https://launchdarkly.com/docs/home/account/api',
  },
]
