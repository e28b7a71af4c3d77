import type { timelineFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { printOutput } from '#/cli/output/print-output.ts'
import type { Section, Output } from '#/cli/output/print-output.ts'
import { withoutEvidence } from '#/cli/why/from-store.ts'
import type { Recorded } from '#/cli/why/from-store.ts'
import { judgeSubject } from '#/cli/why/judge-subject.ts'
import { listBlind, subjectFields, timelineEntries } from '#/cli/why/render-why.ts'
import type { JudgedSubject } from '#/runtime/why/judge-bundle.ts'

export async function run(context: CommandContext<typeof timelineFlags>): Promise<ExitCode> {
  const found = await judgeSubject(context, { isJudging: false })
  const results = found.kind === 'judged' ? found.results : requireEvidence(found.recorded)
  await printOutput(context.terminal, context.flags.output, renderTimelines(results))
  return EXIT.ok
}

function requireEvidence(recorded: Recorded): readonly JudgedSubject[] {
  if (recorded.judgement === null) throw withoutEvidence(recorded)
  return [recorded.judgement]
}

function renderTimelines(results: readonly JudgedSubject[]): Output {
  const timelines = results.map((result) => ({
    subject: subjectFields(result),
    timeline: timelineEntries(result),
    blind: listBlind(result),
  }))
  const [only] = timelines
  return {
    data: timelines.length === 1 && only !== undefined ? only : { results: timelines },
    sections: timelines.flatMap(toSections),
  }
}

type ShownTimeline = {
  readonly timeline: ReturnType<typeof timelineEntries>
  readonly blind: ReturnType<typeof listBlind>
}

function toSections({ timeline, blind }: ShownTimeline): readonly Section[] {
  const unseen = blind.map(({ source, reason }) => [source, reason])
  return [
    {
      table: { columns: ['time', 'source', 'fact'], rows: timeline.map(({ at, source, fact }) => [at, source, fact]) },
    },
    ...(unseen.length === 0 ? [] : [{ title: 'Blind sources', table: { columns: ['source', 'why'], rows: unseen } }]),
  ]
}
