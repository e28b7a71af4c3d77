import type { ReplayWish } from '#/app/replay.ts'
import { CommandFailure } from '#/cli/frame/command-failure.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import type { Clock } from '#/ports/clock.ts'
import type { serveFlags } from './command.ts'

type Flags = CommandContext<typeof serveFlags>['flags']

const MOST_SEED = 0xffff_ffff
const SHORTEST_PACE_MS = 100

/** What `--replay-seed` and `--replay-pace` ask for. */
export function readReplayWish(flags: Flags, clock: Clock): ReplayWish {
  return { seed: parseSeed(flags, clock), paceMs: parsePace(flags) }
}

function parseSeed(flags: Flags, clock: Clock): number {
  const given = flags['replay-seed']
  if (given === undefined) return clock.now() % 1_000_000
  const seed = Number(given)
  if (/^\d+$/.test(given) && seed <= MOST_SEED) return seed
  throw new CommandFailure(EXIT.usage, `--replay-seed: ${given} is no number from 0 to ${MOST_SEED}`)
}

function parsePace(flags: Flags): number {
  const ms = parseDuration(flags['replay-pace'])
  if (ms !== null && ms >= SHORTEST_PACE_MS) return ms
  throw new CommandFailure(EXIT.usage, `--replay-pace: ${flags['replay-pace']} is too short, or no time`, [
    `give ${DURATION_FORM}`,
  ])
}
