import { json, refusal } from '#/sim/github/render/answers.ts'
import type { Context } from './context.ts'
import type { Budget } from '#/sim/github/access/rate-limit.ts'
import type { Route } from './router.ts'
import type { Schema } from '#/sim/github/render/schemas.ts'

const ANYONE = { kind: 'anyone' } as const

export function metaRoutes(context: Context): readonly Route[] {
  const { rateLimit } = context
  return [
    {
      method: 'GET',
      path: '/rate_limit',
      access: ANYONE,
      answer: (call) => {
        if (!rateLimit.enabled()) return refusal(404, 'Rate limiting is not enabled.')
        const core = renderBudget(rateLimit.budget(call.principal.budget))
        const search = { limit: 30, used: 0, remaining: 30, reset: core.reset }
        return json(200, { resources: { core, search }, rate: core } satisfies Schema<'rate-limit-overview'>)
      },
    },
    {
      method: 'GET',
      path: '/meta',
      access: ANYONE,
      answer: () => json(200, { verifiable_password_authentication: false } satisfies Schema<'api-overview'>),
    },
  ]
}

function renderBudget(budget: Budget): Schema<'rate-limit'> {
  const remaining = Math.max(0, budget.limit - budget.used)
  return { limit: budget.limit, used: budget.used, remaining, reset: budget.resetSeconds }
}
