import { openServer } from '#/cli/api-client/ask-server.ts'
import { AppFailure } from '#/app/failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'

/** What `signalbox serve` tells of itself to everybody. */
export type RunningServer = {
  readonly url: string
  /** All that it needs answers, its database among it. */
  readonly isReady: boolean
  /** The sum over all labels; null where it does not count that. */
  readonly count: (metric: string) => number | null
}

const ANSWER_MS = 5000

/** Null where nobody answers, or somebody else. */
export async function askRunningServer(
  context: Pick<CommandContext, 'config' | 'clock' | 'signal'>,
): Promise<RunningServer | null> {
  try {
    await using server = await openServer(context)
    const told = await server.ask({ path: '/metrics', timeoutMs: ANSWER_MS })
    const metrics = told.kind === 'told' ? told.body.toString('utf8') : ''
    if (sumOf(metrics, 'signalbox_build_info') === null) return null
    const ready = await server.ask({ path: '/readyz', timeoutMs: ANSWER_MS })
    return { url: server.url, isReady: ready.kind === 'told', count: (metric) => sumOf(metrics, metric) }
  } catch (error) {
    if (error instanceof AppFailure) return null
    throw error
  }
}

function sumOf(metrics: string, name: string): number | null {
  const values = metrics.split('\n').flatMap((line) => {
    const [series = '', value = ''] = line.split(/ (?=\S+$)/)
    return series === name || series.startsWith(`${name}{`) ? [Number(value)] : []
  })
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
