import { APPLICATIONS } from './applications.ts'
import { CLOUDS } from './clouds.ts'
import type { Format } from './format.ts'
import { INFRASTRUCTURE } from './infrastructure.ts'
import { MESSAGES } from './messages.ts'
import { MODELS } from './models.ts'
import { MONITORING } from './monitoring.ts'
import { PAYMENTS } from './payments.ts'
import { REGISTRIES } from './registries.ts'
import { SOURCE_HOSTS } from './source-hosts.ts'

export const FORMATS: readonly Format[] = [
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
