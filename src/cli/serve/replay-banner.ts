import { onThisMachine } from '#/cli/api-client/server-address.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Style } from '#/cli/output/style.ts'

export type Served = {
  readonly version: string
  /** Of the server, and the command as a person types it here. */
  readonly url: string
  readonly command: string
}

export type Banner = Served & {
  readonly seed: number
  readonly paceMs: number
  readonly recordings: number
  readonly living: number
  /** What is configured for real, and not used. */
  readonly ignored: readonly string[]
}

export function replayBanner(banner: Banner, style: Style): readonly string[] {
  const { version, url, command, seed, paceMs, recordings, living, ignored } = banner
  const notUsed = ignored.length === 0 ? [] : [`  not used   ${ignored.join(', ')} of your configuration`]
  return [
    style('bold', `Signalbox ${version}, on a REPLAY: no cluster is touched`),
    `  playing    ${recordings} recorded deaths of real runner pods, one about every ${formatDuration(paceMs)}, among ${living} runners that do well`,
    '             Names and times are new; what watches, captures, judges and tells is the real thing.',
    ...notUsed,
    `  listening  ${url}`,
    `  seed       ${seed}; --replay-seed ${seed} plays the same again`,
    'Try in a second terminal:',
    ...commandsOf(command, url).map((line) => `  ${line}`),
    'Ctrl-C stops it.',
    '',
  ]
}

/** Without the address where it is the one that the commands ask by themselves. */
function commandsOf(command: string, listensAt: string): readonly string[] {
  const url = onThisMachine(listensAt)
  const server = url === 'http://127.0.0.1:8080' ? '' : ` --server ${url}`
  return [
    `${command} deaths${server}`,
    `${command} deaths --watch${server}`,
    `${command} why NAME${server}        # a runner from that list`,
    `${command} export NAME -o death.tar.gz${server}`,
    `curl -s ${url}/metrics | grep signalbox_deaths`,
  ]
}
