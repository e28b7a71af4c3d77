const GENERATED =
  '<!-- Generated from src/reconcilers and src/cli/pages/recovery-page.ts; regenerate with: npx vitest run src/cli/pages/recovery-page.test.ts -u -->\n'

const INTRODUCTION = `# Recovery: nothing stays stranded

Webhooks and watch events make own pools fast. What makes them right is a loop for each way in which something can get stuck. The
loops run on the leader. Each compares our store, the cluster and GitHub, again and again, and needs no event.

- **What a loop does** is an act with a row in the ledger, with every proof in words: \`signalbox ledger --actor signalbox/unregistered-runners -o wide\`.
  The row is planned before the act and ended after it; what a killed process left open, the next round closes by what it finds.
- **What would be done now**: \`signalbox recover [LOOP…] --dry-run\`.
- **Kill switch**: \`recovery.disabled: [stale-queue]\` switches single loops off.
- **No answer is no answer.** An error, a read that is not complete or a status that is not known changes nothing. It is asked again.
- **A decision is about one claim.** It names the generation of the job and the UID of the pod; what has moved on since then is left alone.
- **At most 25 acts** of one loop in one round. Lists first, then single questions about the few candidates that the lists leave: at
  most 50 in a round, less often each time, and none where a tenth of the budget of a credential is left.

## Parked jobs

A job that goes back to the queue waits 5 s, then twice as long each time, up to ten minutes. After 10 returns (40 where GitHub registers
no runner) it is **parked**: it stays in the queue, visible with the reason of its last return, and we claim nothing for it. GitHub
may still give it to another runner, and what GitHub reports of it counts as before. A person puts it back, and its count begins anew:
\`signalbox jobs retry ID\`.

## Breakers

A credential, owner, repository or node that keeps failing is left out by dispatch, so that its jobs wait and are not claimed and
returned for ever. After three failures its breaker opens for 30 s, then for twice as long each time, up to 15 minutes. When the time is
over, one attempt of one replica is let through; a success closes the breaker. All replicas share them.
\`signalbox breakers list\` shows them with the last failure; \`signalbox breakers reset KEY\` closes one at once, after a repair.

## Metrics

| metric | what |
| --- | --- |
| \`signalbox_recoveries_total{loop,outcome}\` | what the loops did: \`returned\`, \`parked\`, \`closed\`, \`started\`, \`registered\`, \`slot-lost\`, \`deregistered\`; and \`stale\`, \`refused\`, \`blind\`, \`capped\`, \`failed\` |
| \`signalbox_stranded_seconds{loop}\` | how long it had been stuck |
| \`signalbox_breakers_open{kind}\`, \`signalbox_breaker_events_total{kind,event}\` | breakers that stop something, and what happened to them |

## The loops
`

/** A loop, and the file that begins with its four answers. */
export type LoopFile = { readonly id: string; readonly text: string }

const ANSWERS = [
  ['Stuck', 'What is stuck'],
  ['Not caught elsewhere', 'Why nothing else catches it'],
  ['Proof', 'How it is proven'],
  ['Threshold', 'The threshold'],
] as const

/** docs/recovery.md */
export function recoveryPage(loops: readonly LoopFile[]): string {
  const sections = loops.map(({ id, text }) => {
    const header = text.slice(0, text.indexOf('*/')).replaceAll(/\s+\* +/gu, ' ')
    const answers = ANSWERS.map(([label, title], index) => {
      const next = ANSWERS[index + 1]?.[0]
      const from = header.indexOf(`${label}: `) + label.length + 2
      const answer = header.slice(from, next === undefined ? undefined : header.indexOf(` ${next}: `)).trim()
      return `- **${title}.** ${answer}\n`
    })
    return `### ${id}\n\n${answers.join('')}`
  })
  return [GENERATED, INTRODUCTION, ...sections].join('\n')
}
