import { createJournalctl } from '#/adapters/journal/journalctl.ts'
import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { ok, skip, warn } from '#/cli/doctor/check.ts'
import type { Lines } from '#/core/evidence/bundle-lines.ts'
import type { Observed } from '#/core/basics/observed.ts'

const LOOK_BACK_MS = 600_000

export const journal: Check = {
  id: 'journal',
  title: 'Journal of this machine',
  check: async ({ config, clock, signal }) => {
    if (config.kubernetes.source.kind === 'in-cluster')
      return skip('a pod has none; the agents read the journals of the nodes')
    const journalctl = createJournalctl({ directory: null, program: 'journalctl', maxBytes: 2 ** 20, maxLines: 1000 })
    return judgeJournal(await journalctl.read({ since: clock.now() - LOOK_BACK_MS, kernelOnly: true }, signal))
  },
}

export function judgeJournal(read: Observed<Lines<unknown>>): CheckResult {
  const trouble = {
    cost: 'Kernel and kubelet messages about a death on this machine are unknown. This matters only if runners run here.',
    fix: 'Install systemd-journald, and let this user read the journal: usermod -aG systemd-journal USER.',
  }
  if (read.kind === 'blind') return warn(read.reason.detail, trouble)
  const gap = read.kind === 'seen' ? read.value.gaps.find(({ code }) => code === 'forbidden') : undefined
  return gap === undefined ? ok('readable') : warn(gap.detail, trouble)
}
