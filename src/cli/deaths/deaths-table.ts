import { clip, shortAge } from '#/cli/output/cells.ts'
import { printable } from '#/cli/output/printable.ts'
import type { Table } from '#/cli/output/table.ts'
import { isJudged } from '#/core/recorder/death.ts'
import type { Death } from '#/core/recorder/death.ts'

const PERCENT = 100

/** The widths of a row add up to 119 columns with the gaps between them. */
const WIDTHS = { age: 5, runner: 36, node: 16, cause: 25, certain: 7, by: 15 } as const

/** One line per death on a terminal of 120 columns. */
export function narrowTable(deaths: readonly Death[], now: number): Table {
  return {
    columns: Object.keys(WIDTHS),
    rows: deaths.map((death) => {
      const [cause, certain] = verdictCells(death)
      return [
        shortAge(now - death.diedAt),
        clip(printable(death.pod), WIDTHS.runner),
        clip(printable(death.node ?? '-'), WIDTHS.node),
        clip(cause, WIDTHS.cause),
        certain,
        clip(printable(death.actor ?? '-'), WIDTHS.by),
      ]
    }),
  }
}

/** With times, namespaces, pools and sentences. */
export function wideTable(deaths: readonly Death[]): Table {
  return {
    columns: ['died', 'runner', 'node', 'pool', 'cause', 'certain', 'by', 'what'],
    rows: deaths.map((death) => [
      new Date(death.diedAt).toISOString(),
      ...[`${death.namespace}/${death.pod}`, death.node ?? '-', death.pool ?? '-'].map(printable),
      ...verdictCells(death),
      printable(death.actor ?? '-'),
      printable(
        death.missed ? `${death.sentence} (It was missed: nothing was watching when it ended.)` : death.sentence,
      ),
    ]),
  }
}

/** Not yet judged is different from judged as unknown. */
function verdictCells(death: Death): readonly [cause: string, certain: string] {
  if (!isJudged(death)) return ['pending', '-']
  return [printable(death.cause), `${Math.round(death.confidence * PERCENT)} %`]
}
