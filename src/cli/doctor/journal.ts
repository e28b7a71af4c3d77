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
      return skip('a pod has none; the agents read those of the nodes')
    const journalctl = createJournalctl({ directory: null, program: 'journalctl', maxBytes: 2 ** 20, maxLines: 1000 })
    return judgeJournal(await journalctl.read({ since: clock.now() - LOOK_BACK_MS, kernelOnly: true }, signal))
  },
}

export function judgeJournal(read: Observed<Lines<unknown>>): CheckResult {
  const trouble = {
    cost: 'What the kernel and the kubelet said about a death on this machine is unknown. It matters only where runners run here.',
    mend: 'Install systemd’s journal, and let this user read it: usermod -aG systemd-journal USER.',
  }
  if (read.kind === 'blind') return warn(read.reason.detail, trouble)
  const gap = read.kind === 'seen' ? read.value.gaps.find(({ code }) => code === 'forbidden') : undefined
  return gap === undefined ? ok('can be read') : warn(gap.detail, trouble)
}
