import { BUNDLE_LIMITS, openBundle } from '#/adapters/bundle/open-bundle.ts'
import { CommandFailure } from '#/cli/command-failure.ts'
import type { timelineFlags } from '#/cli/commands/timeline.ts'
import type { CommandContext } from '#/cli/context.ts'
import { EXIT, type ExitCode } from '#/cli/exit-code.ts'
import { present } from '#/cli/output/present.ts'
import { redact } from '#/cli/redact.ts'
import { clueFinder } from '#/core/find-clues.ts'
import { readPod } from '#/core/pod-facts.ts'
import type { PodFacts } from '#/core/pod-facts.ts'
import { resolveSubject } from '#/core/subject.ts'
import type { Asked, Subject } from '#/core/subject.ts'
import { readWorkflowJob } from '#/core/workflow-job-facts.ts'
import type { WorkflowJobFacts } from '#/core/workflow-job-facts.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { readTimeline } from '#/runtime/read-timeline.ts'
import type { Story } from '#/runtime/read-timeline.ts'
import { SIGNATURES } from '#/signatures/index.ts'

export async function run({ args, flags, terminal, signal }: CommandContext<typeof timelineFlags>): Promise<ExitCode> {
  if (flags.bundle === undefined) {
    throw new CommandFailure(EXIT.usage, 'no bundle is named', ['give one: signalbox timeline --bundle PATH'])
  }
  const opening = await openBundle(flags.bundle, BUNDLE_LIMITS, signal)
  if (opening.kind === 'refused') {
    throw new CommandFailure(EXIT.blind, `the bundle cannot be read: ${opening.why}`, [
      'a bundle is a folder or a .tar.gz with a meta.json at its top',
    ])
  }
  await using bundle = opening.bundle
  const [pods, jobs] = await Promise.all([podsOf(bundle), jobsOf(bundle)])
  const subject = resolveSubject(askedFor(args[0], bundle), { pods, jobs })
  if (subject === null) {
    const known = pods.slice(0, 5).map(({ namespace, name }) => `${namespace}/${name}`)
    throw new CommandFailure(EXIT.blind, 'the bundle knows nothing of that subject', [
      known.length === 0 ? 'it holds no pods at all' : `it knows, among others: ${known.join(', ')}`,
    ])
  }
  const story = await readTimeline({ bundle, subject, pods, jobs, find: clueFinder(SIGNATURES) })
  await present(terminal, flags.output, view(subject, story))
  return EXIT.ok
}

/** What the command line names beats `meta.json`. */
function askedFor(argument: string | undefined, { meta: { subject } }: Bundle): Asked {
  if (argument !== undefined) return { namespace: null, name: argument, jobId: null }
  return {
    namespace: subject.namespace ?? null,
    name: subject.pod ?? subject.runner ?? null,
    jobId: subject.jobId ?? null,
  }
}

async function podsOf(bundle: Bundle): Promise<readonly PodFacts[]> {
  const pods = await bundle.list('pods')
  return pods.kind === 'seen' ? pods.value.map(readPod) : []
}

async function jobsOf(bundle: Bundle): Promise<readonly WorkflowJobFacts[]> {
  const ids = bundle.githubJobs()
  const jobs = ids.kind === 'seen' ? await Promise.all(ids.value.map((id) => bundle.githubJob(id))) : []
  return jobs.flatMap((job) => (job.kind === 'seen' ? [readWorkflowJob(job.value)] : []))
}

function view({ containerIds: _ids, ...subject }: Subject, { entries, blind }: Story) {
  const timeline = entries.map(({ at, source, fact }) => ({
    at: new Date(at).toISOString(),
    source,
    fact: redact(fact),
  }))
  const unseen = blind.map(({ source, reason }) => ({ source, reason: redact(reason) }))
  const rows = timeline.map(({ at, source, fact }) => [at, source, fact])
  return {
    data: { subject, timeline, blind: unseen },
    sections: [
      { table: { columns: ['time', 'source', 'fact'], rows } },
      ...(unseen.length === 0
        ? []
        : [
            {
              title: 'What could not be seen',
              table: { columns: ['source', 'why'], rows: unseen.map(({ source, reason }) => [source, reason]) },
            },
          ]),
    ],
  }
}
