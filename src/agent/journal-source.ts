import { oldestLineArgs } from '#/adapters/journal/journalctl-args.ts'
import { runJournalctl } from '#/adapters/journal/run-journalctl.ts'
import type { Clock } from '#/ports/clock.ts'
import type { Log } from '#/ports/log.ts'
import { readJournalWindow } from './journal-window.ts'
import type { Answer, JournalAsked } from './journal-window.ts'
import { createKernelRing } from './kernel-ring.ts'

/** The journal, or the kernel log on a node without one. */
export type JournalSource = {
  readonly read: (asked: JournalAsked, signal: AbortSignal) => Promise<Answer>
  readonly run: (signal: AbortSignal) => Promise<void>
}

export type JournalPlan = {
  readonly journal: {
    readonly program: string
    readonly directory: string | null
    readonly socket: string
    readonly kmsg: string
  }
  readonly clock: Clock
  readonly log: Log
}

export async function openJournal({ journal, clock, log }: JournalPlan, signal: AbortSignal): Promise<JournalSource> {
  const { program, directory, socket, kmsg } = journal
  if (await hasJournal(journal, signal)) {
    const options = { program, directory, socket, clock }
    return { read: (asked, limited) => readJournalWindow(options, asked, limited), run: async () => {} }
  }
  log.warn('no journal on this node; keeping kernel log lines in memory', { from: kmsg })
  return createKernelRing(kmsg, clock)
}

async function hasJournal({ program, directory }: JournalPlan['journal'], signal: AbortSignal): Promise<boolean> {
  const probe = { args: oldestLineArgs({ directory }), window: {} }
  const answer = await runJournalctl({ program, maxBytes: 1024 * 1024, maxLines: 1 }, probe, signal)
  return answer.kind === 'read' && answer.lines.length > 0
}
