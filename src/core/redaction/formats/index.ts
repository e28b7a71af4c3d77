import { APPLICATIONS } from './applications.ts'
import { CLOUDS } from './clouds.ts'
import type { CredentialFormat } from './credential-format.ts'
import { INFRASTRUCTURE } from './infrastructure.ts'
import { MESSAGES } from './messages.ts'
import { MODELS } from './models.ts'
import { MONITORING } from './monitoring.ts'
import { PAYMENTS } from './payments.ts'
import { REGISTRIES } from './registries.ts'
import { SOURCE_HOSTS } from './source-hosts.ts'

/** Every published form that is searched for, wherever it stands. What has no form is found by its name or place. */
export const CREDENTIAL_FORMATS: readonly CredentialFormat[] = [
  ...SOURCE_HOSTS,
  ...CLOUDS,
  ...REGISTRIES,
  ...MESSAGES,
  ...PAYMENTS,
  ...MODELS,
  ...MONITORING,
  ...INFRASTRUCTURE,
  ...APPLICATIONS,
]
