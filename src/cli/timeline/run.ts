import type { timelineFlags } from './command.ts'
import type { CommandContext } from '#/cli/frame/context.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import type { Section, View } from '#/cli/output/present.ts'
import { withoutEvidence } from '#/cli/why/from-store.ts'
import type { Recorded } from '#/cli/why/from-store.ts'
import { investigated } from '#/cli/why/investigated.ts'
import { blindOf, subjectOf, timelineOf } from '#/cli/why/view.ts'
import type { Investigation } from '#/runtime/why/investigate.ts'

export async function run(context: CommandContext<typeof timelineFlags>): Promise<ExitCode> {
  const found = await investigated(context, { isJudging: false })
  const results = found.kind === 'judged' ? found.results : storyOf(found.recorded)
  await present(context.terminal, context.flags.output, view(results))
  return EXIT.ok
}

function storyOf(recorded: Recorded): readonly Investigation[] {
  if (recorded.judged === null) throw withoutEvidence(recorded)
  return [recorded.judged]
}

function view(results: readonly Investigation[]): View {
  const stories = results.map((result) => ({
    subject: subjectOf(result),
    timeline: timelineOf(result),
    blind: blindOf(result),
  }))
  const [only] = stories
  return {
    data: stories.length === 1 && only !== undefined ? only : { results: stories },
    sections: stories.flatMap(sectionsOf),
  }
}

type Story = { readonly timeline: ReturnType<typeof timelineOf>; readonly blind: ReturnType<typeof blindOf> }

function sectionsOf({ timeline, blind }: Story): readonly Section[] {
  const unseen = blind.map(({ source, reason }) => [source, reason])
  return [
    {
      table: { columns: ['time', 'source', 'fact'], rows: timeline.map(({ at, source, fact }) => [at, source, fact]) },
    },
    ...(unseen.length === 0 ? [] : [{ title: 'Blind sources', table: { columns: ['source', 'why'], rows: unseen } }]),
  ]
}
