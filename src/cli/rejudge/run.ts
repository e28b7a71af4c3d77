import { openServer, readPages } from '#/cli/api-client/ask-server.ts'
import type { rejudgeFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { readMoment } from '#/cli/api-client/list-flags.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import { printable } from '#/cli/output/printable.ts'
import { listAt, numberAt } from '#/core/basics/fields.ts'
import type { Rejudged } from '#/runtime/recorder/rejudge.ts'

export async function run(context: CommandContext<typeof rejudgeFlags>): Promise<ExitCode> {
  const { flags, terminal, clock } = context
  const since = readMoment('since', flags.since, clock.now())
  const query = { since: String(since), apply: String(flags.apply) }
  await using server = await openServer(context)
  const changed: Rejudged[] = []
  let [judged, withoutEvidence] = [0, 0]
  const progress = terminal.progress('judging')
  try {
    for await (const page of readPages(server, { path: '/v1/deaths/rejudge', method: 'POST', query })) {
      changed.push(...(listAt(page, 'changed') as readonly Rejudged[]))
      judged += numberAt(page, 'judged') ?? 0
      withoutEvidence += numberAt(page, 'withoutEvidence') ?? 0
      progress.say(`judged ${judged}`)
    }
  } finally {
    progress.done()
  }
  const verb = flags.apply ? 'changed' : 'would change'
  const summary = `${judged} judged again, ${changed.length} ${verb}; ${withoutEvidence} without evidence skipped.`
  const columns = ['died', 'runner', 'was', flags.apply ? 'is now' : 'would be']
  await printOutput(terminal, flags.output, {
    data: { judged, withoutEvidence, applied: flags.apply, changed },
    sections: [...(changed.length === 0 ? [] : [{ table: { columns, rows: changed.map(toRow) } }]), { text: summary }],
  })
  return changed.length > 0 && !flags.apply ? EXIT.failed : EXIT.ok
}

function toRow({ diedAt, pod, before, after }: Rejudged): string[] {
  const verdict = (one: Rejudged['before']): string =>
    one === null ? 'not judged' : `${one.cause} (${Math.round(one.confidence * 100)} %)`
  return [new Date(diedAt).toISOString(), printable(pod), printable(verdict(before)), printable(verdict(after))]
}
