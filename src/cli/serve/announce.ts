import { onThisMachine } from '#/cli/api-client/server-address.ts'
import type { Terminal } from '#/cli/output/terminal.ts'
import type { Config } from '#/config/config.ts'
import type { Log } from '#/ports/log.ts'

export type Announcement = Readonly<Record<'version' | 'where' | 'url' | 'readableBy' | 'command', string>> & {
  readonly watches: string | null
  readonly socket: string | null
}

type Ways = {
  readonly terminal: Pick<Terminal, 'notice'>
  readonly log: Pick<Log, 'info'>
  readonly format: Config['log']['format']
}

const UNWATCHED = 'nothing: no kubeconfig, and not running in a cluster (set KUBECONFIG or --kubeconfig)'

/** The start message: text for a person, one log line for a JSON log. */
export function announce(announcement: Announcement, { terminal, log, format }: Ways): void {
  const { version, where, url, watches, readableBy } = announcement
  const facts = { database: where, listening: url, watching: watches ?? UNWATCHED, api: `readable by ${readableBy}` }
  if (format === 'json') {
    log.info('started', { version, ...facts })
    return
  }
  terminal.notice(`Signalbox ${version}`)
  for (const [name, fact] of Object.entries(facts)) terminal.notice(`  ${name.padEnd(10)} ${fact}`)
  for (const line of advice(announcement)) terminal.notice(line)
}

function advice({ url, watches, command, socket }: Announcement): readonly string[] {
  return [
    'Try in a second terminal:',
    `  curl '${onThisMachine(url)}/readyz?verbose'`,
    ...(watches === null
      ? [`  ${command} doctor`, `  ${command} serve --replay   # on recorded deaths, without a cluster`]
      : [`  ${command} deaths --server ${socket === null ? onThisMachine(url) : `unix:${socket}`}`]),
    'Ctrl-C stops it.',
  ]
}

/** Other messages while it runs. A JSON log must contain only JSON lines. */
export function chooseNotice(
  terminal: Ways['terminal'],
  { format }: Pick<Ways, 'format'>,
  log: Ways['log'],
): (text: string) => void {
  return format === 'json' ? (text) => log.info(text) : terminal.notice
}
