import { onThisMachine } from '#/cli/api-client/server-address.ts'
import { formatDuration } from '#/core/basics/duration.ts'
import type { Style } from '#/cli/output/style.ts'

export type Served = {
  readonly version: string
  /** The command as the user types it here. */
  readonly url: string
  readonly command: string
}

export type Banner = Served & {
  readonly seed: number
  readonly paceMs: number
  readonly recordings: number
  readonly living: number
  /** Configured, but not used in a replay. */
  readonly ignored: readonly string[]
}

export function replayBanner(banner: Banner, style: Style): readonly string[] {
  const { version, url, command, seed, paceMs, recordings, living, ignored } = banner
  const notUsed = ignored.length === 0 ? [] : [`  not used   ${ignored.join(', ')} (configured)`]
  return [
    style('bold', `Signalbox ${version}, REPLAY: no cluster is touched`),
    `  playing    ${recordings} recorded deaths of real runner pods, one about every ${formatDuration(paceMs)}, among ${living} healthy runners`,
    '             Names and times are new; watching, recording and judging run the real code.',
    ...notUsed,
    `  listening  ${url}`,
    `  seed       ${seed}; --replay-seed ${seed} replays the same sequence`,
    'Try in a second terminal:',
    ...listCommands(command, url).map((line) => `  ${line}`),
    'Ctrl-C stops it.',
    '',
  ]
}

/** Without --server for the default address. */
function listCommands(command: string, listensAt: string): readonly string[] {
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
