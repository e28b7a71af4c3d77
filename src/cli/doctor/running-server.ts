import { openServer } from '#/cli/api-client/ask-server.ts'
import type { AskingContext } from '#/cli/api-client/ask-server.ts'
import { AppFailure } from '#/app/part/failure.ts'

/** What `signalbox serve` shows without a token. */
export type RunningServer = {
  readonly url: string
  /** It and its database are ready. */
  readonly isReady: boolean
  /** The sum over all labels; null if it has no such metric. */
  readonly count: (metric: string) => number | null
}

const ANSWER_MS = 5000

/** Null when nothing answers, or something other than signalbox serve. */
export async function askRunningServer(context: AskingContext): Promise<RunningServer | null> {
  try {
    await using server = await openServer(context)
    const answer = await server.ask({ path: '/metrics', timeoutMs: ANSWER_MS })
    const metrics = answer.kind === 'answered' ? answer.body.toString('utf8') : ''
    if (sumMetric(metrics, 'signalbox_build_info') === null) return null
    const ready = await server.ask({ path: '/readyz', timeoutMs: ANSWER_MS })
    return { url: server.url, isReady: ready.kind === 'answered', count: (metric) => sumMetric(metrics, metric) }
  } catch (error) {
    if (error instanceof AppFailure) return null
    throw error
  }
}

function sumMetric(metrics: string, name: string): number | null {
  const values = metrics.split('\n').flatMap((line) => {
    const [series = '', value = ''] = line.split(/ (?=\S+$)/)
    return series === name || series.startsWith(`${name}{`) ? [Number(value)] : []
  })
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
