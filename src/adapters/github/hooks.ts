import type { Hook, Hooks } from '#/ports/github.ts'
import type { Ask } from '#/adapters/github/http/ask.ts'
import type { Client } from '#/adapters/github/http/client.ts'
import { asWriteFailure } from './observe.ts'
import { readLinked } from './pages.ts'
import { get, inOrganization, inRepository } from './places.ts'
import { deliverySchema } from './schemas.ts'

export function createHooks(client: Client): Hooks {
  return {
    deliveries: (hook, sinceMs, options) =>
      readLinked(client, {
        ask: get(readDeliveries(hook, [], options?.signal)),
        schema: deliverySchema,
        enough: ({ deliveredAt }) => deliveredAt < sinceMs,
      }),
    redeliver: async (hook, delivery, options) => {
      const by = readDeliveries(hook, [delivery, 'attempts'], options?.signal)
      const answer = await client.ask({ method: 'POST', again: 'harmful', ...by })
      if (answer.kind === 'ok') return { kind: 'requested' }
      return asWriteFailure(client, answer, get(readDeliveries(hook, [], options?.signal), { per_page: 1 }))
    },
  }
}

function readDeliveries(
  hook: Hook,
  parts: readonly string[],
  signal: AbortSignal | undefined,
): Pick<Ask, 'path' | 'as' | 'signal'> {
  switch (hook.kind) {
    case 'app':
      return { path: ['app', 'hook', 'deliveries', ...parts], as: { kind: 'app' }, signal }
    case 'organization':
      return inOrganization(hook.organization, ['hooks', hook.id, 'deliveries', ...parts], signal)
    case 'repository':
      return inRepository(hook.repository, ['hooks', hook.id, 'deliveries', ...parts], signal)
  }
}
