import { MAX_DELIVERY_BYTES } from '#/ports/store/deliveries.ts'
import type { Problem } from '#/server/request/problem.ts'

export type Refusal = {
  readonly reason: 'malformed' | 'bad-signature' | 'too-large' | 'busy' | 'store-unavailable'
  readonly more?: Pick<Problem, 'detail'>
}

const REDELIVER = 'deliver it again: GitHub keeps it under Advanced, Recent Deliveries'

export const PROBLEMS: Readonly<Record<Refusal['reason'], Problem>> = {
  malformed: {
    status: 400,
    detail: 'this is no delivery of GitHub',
    advice: ['send workflow_job events as application/json'],
  },
  'bad-signature': {
    status: 401,
    detail: 'X-Hub-Signature-256 is missing or was not made with the secret of this server',
    advice: ['set the same secret at GitHub and in github.webhookSecretFile'],
  },
  'too-large': { status: 413, detail: `the body is larger than ${MAX_DELIVERY_BYTES} bytes` },
  busy: {
    status: 503,
    detail: 'too much is being received at once',
    advice: [REDELIVER],
    headers: { 'retry-after': '1' },
  },
  'store-unavailable': {
    status: 503,
    detail: 'the delivery was not stored',
    advice: [REDELIVER, 'see /readyz?verbose'],
    headers: { 'retry-after': '5' },
  },
}
