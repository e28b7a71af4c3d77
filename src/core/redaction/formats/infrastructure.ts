import type { CredentialFormat } from './credential-format.ts'

/** Stores of secrets, infrastructure as code, keys, identity. */
export const INFRASTRUCTURE: readonly CredentialFormat[] = [
  {
    name: 'Vault token: service, batch, recovery',
    shapes: ['s', 'b', 'r'].map((type) => String.raw`hv${type}\.[A-Za-z0-9_-]{20,}`),
    source: 'https://developer.hashicorp.com/vault/docs/concepts/tokens',
  },
  {
    name: 'Terraform Cloud token',
    shapes: [String.raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}`],
    source: 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
  },
  {
    name: 'Pulumi token',
    shapes: ['pul-[a-f0-9]{40}'],
    source: 'https://www.pulumi.com/docs/administration/access-identity/access-tokens/',
  },
  {
    name: 'Doppler token',
    shapes: ['pt', 'st', 'ct', 'sa', 'said', 'scim', 'audit'].map(
      (type) => String.raw`dp\.${type}\.[A-Za-z0-9._-]{40,}`,
    ),
    source: 'https://docs.doppler.com/reference/auth-token-formats',
  },
  {
    name: '1Password service account token and secret key',
    shapes: [
      'ops_eyJ[A-Za-z0-9+/=_-]{40,}',
      'A3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
    ],
    source: 'https://developer.1password.com/docs/service-accounts/security/',
  },
  {
    name: 'MongoDB Atlas service account secret',
    shapes: ['mdb_sa_sk_[A-Za-z0-9_-]{32,}'],
    source: 'https://www.mongodb.com/docs/atlas/api/service-accounts-overview/',
  },
  {
    name: 'age secret key',
    kind: 'private-key',
    shapes: ['AGE-SECRET-KEY-1[A-Z0-9]{50,}', 'AGE-SECRET-KEY-PQ-1[A-Z0-9]{50,}'],
    source: 'https://age-encryption.org/v1',
  },
  {
    name: 'JSON Web Token',
    kind: 'jwt',
    shapes: [String.raw`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8}[A-Za-z0-9_.-]{0,}`],
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
  },
]
