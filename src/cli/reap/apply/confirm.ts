import type { Terminal } from '#/cli/output/terminal.ts'
import { printable } from '#/cli/output/printable.ts'
import { redacted } from '#/cli/audit/render-audit.ts'
import type { Asked } from './applied.ts'

type Listed = { readonly asked: readonly Asked[]; readonly spared: number }

/** Shows what will be removed, and asks. True for yes; everything else is a no. */
export async function confirmRemoval(terminal: Terminal, listed: Listed, signal: AbortSignal): Promise<boolean> {
  if (terminal.ask === null) return false
  const answer = await terminal.ask(`${describeRemovals(listed)}\nRemove them? [y/N] `, signal)
  signal.throwIfAborted()
  return /^y(?:es)?$/iu.test(answer?.trim() ?? '')
}

export function describeRemovals({ asked, spared }: Listed): string {
  const places = asked.reduce((sum, { order }) => sum + order.candidate.runners.length, 0)
  return [
    'This will be removed, if every gate still holds:',
    ...asked.map((one) => `  ${printable(redacted(describeOne(one)))}`),
    `Runners: ${places}.${spared === 0 ? '' : ` Refused, and not touched: ${spared}.`}`,
  ].join('\n')
}

function describeOne({ order: { candidate, policy, scales }, planned }: Asked): string {
  const { subject, runners } = candidate
  const name = `${policy.id}: ${subject.namespace ?? ''}/${subject.name}`
  if (planned === null) return `${name}: an earlier run left it under way; it is finished or closed`
  const [because = ''] = planned.proposal.because
  if (subject.kind === 'EphemeralRunner') return `${name}: ${because}`
  const names = runners.map((runner) => runner.name).join(', ')
  return `${name}: ${scales.length === 0 ? 'delete' : `scale ${scales.join(', ')} to 0, which removes`} ${names}: ${because}`
}
