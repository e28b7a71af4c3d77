import { visible } from '#/core/basics/visible.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log, LogFields } from '#/ports/log.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogOptions = {
  readonly level: LogLevel
  readonly format: 'json' | 'text'
  readonly clock: Clock
  /** Takes one line, without its end. */
  readonly write: (line: string) => void
  /** Applied to every text that is written, because a message may quote what the world said. */
  readonly redact: (text: string) => string
}

/** JSON for machines, one readable line for a person at a terminal. */
export function createLog(options: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(options.level)
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) < threshold) return
      const time = new Date(options.clock.now()).toISOString()
      const line =
        options.format === 'json'
          ? JSON.stringify({ time, level, msg: message, ...fields })
          : `${time} ${level.padEnd(5)} ${message}${pairs(fields)}`
      options.write(visible(options.redact(line)))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function pairs(fields: LogFields): string {
  return Object.entries(fields)
    .map(
      ([key, value]) => ` ${key}=${typeof value === 'string' && /[\s"=]/.test(value) ? JSON.stringify(value) : value}`,
    )
    .join('')
}
