import { blind } from '#/core/basics/observed.ts'
import type { CgroupCopy, ThisHost } from '#/ports/this-host.ts'
import { HOST_FILES } from '#/ports/this-host.ts'
import type { AnswerHead } from '#/protocol/answer.ts'
import type { Asked } from '#/protocol/poll.ts'
import type { EndedPods } from './ended-pods.ts'
import type { Answer, JournalAsked } from './journal-window.ts'
import type { RunnerProcesses } from './runner-processes.ts'

export type Sources = {
  readonly journal: (asked: JournalAsked, signal: AbortSignal) => Promise<Answer>
  readonly file: ThisHost['file']
  readonly pods: Pick<EndedPods, 'logs' | 'counters'>
  readonly processes: RunnerProcesses
}

/** Answers one question from this node. A failure becomes a blind answer and affects no other question. */
export async function answerQuestion(sources: Sources, asked: Asked, signal: AbortSignal): Promise<Answer> {
  try {
    return await find(sources, asked, signal)
  } catch (error) {
    if (signal.aborted) return { head: blind('refused-by-limits', `${asked.kind}: the agent took too long`) }
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'a fault'
    return { head: blind('server-error', `${asked.kind}: the agent failed: ${code}`) }
  }
}

async function find(sources: Sources, asked: Asked, signal: AbortSignal): Promise<Answer> {
  switch (asked.kind) {
    case 'journal':
      return sources.journal(asked, signal)
    case 'files':
      return { head: await readFiles(sources, signal) }
    case 'cgroups': {
      const read = await sources.pods.counters(asked.pod, signal)
      return { head: read.kind === 'seen' ? { kind: 'cgroups', copies: read.value.map(printCopy) } : read }
    }
    case 'logs': {
      const read = await sources.pods.logs(asked)
      return { head: read.kind === 'seen' ? { kind: 'logs', logs: [...read.value] } : read }
    }
    case 'processes': {
      const read = await sources.processes(asked.containerId, signal)
      return { head: read.kind === 'seen' ? { kind: 'processes', text: read.value } : read }
    }
  }
}

async function readFiles({ file }: Sources, signal: AbortSignal): Promise<AnswerHead> {
  const read = await Promise.all(HOST_FILES.map(async (name) => [name, await file(name, signal)] as const))
  return { kind: 'files', files: Object.fromEntries(read) }
}

function printCopy({ container, files, readAt }: CgroupCopy) {
  return { container, files: Object.fromEntries(files), readAt: readAt ?? null }
}
