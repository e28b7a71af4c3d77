import path from 'node:path'
import { describe, expect, it } from 'vitest'

import { seen } from '#/core/basics/observed.ts'
import type { Bundle } from '#/ports/bundle.ts'
import { judgeKnown, openKnown } from '#test/bundles/open-known.ts'

const ARCHIVE = path.join(import.meta.dirname, '..', 'bundles', 'fresh-2', 'kata-vmconsole-guest-oom.tar.gz')
const OOM_LINES = /invoked oom-killer|oom-kill:constraint|Out of memory: Killed|oom_reaper/

/** The death of the bundle, with other last words of the guest's kernel. */
function withLastWords(bundle: Bundle, words: readonly string[]): Bundle {
  return {
    ...bundle,
    journal: async (node, window) => {
      const journal = await bundle.journal(node, window)
      if (journal.kind !== 'seen') return journal
      let left = [...words]
      const lines = journal.value.lines.flatMap((line) => {
        const { message } = line
        if (message === null || !message.includes('vmconsole="') || !OOM_LINES.test(message)) return [line]
        const [text, ...rest] = left
        left = rest
        return text === undefined
          ? []
          : [
              {
                ...line,
                message: message.replace(/vmconsole="(?:\\.|[^"\\])*"?/, () => `vmconsole="[  131.4] ${text}"`),
              },
            ]
      })
      return seen({ ...journal.value, lines })
    },
  }
}

const CASES: readonly (readonly [what: string, words: readonly string[], cause: string])[] = [
  [
    'a current kernel',
    ['Out of memory: Killed process 214 (Runner.Listener) total-vm:274101kB, anon-rss:1kB'],
    'oom-guest',
  ],
  ['an old kernel', ['Out of memory: Kill process 214 (Runner.Listener) score 905 or sacrifice child'], 'oom-guest'],
  [
    'the limit of the container, inside the guest',
    [
      'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/a,task=Runner.Worker,pid=214,uid=1001',
      'Memory cgroup out of memory: Killed process 214 (Runner.Worker) total-vm:274101kB, anon-rss:1kB',
    ],
    'oom-guest',
  ],
  [
    'a guest that panics on it',
    ['Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled'],
    'oom-guest',
  ],
  [
    'the reaper alone',
    ['oom_reaper: reaped process 214 (Runner.Listener), now anon-rss:0kB, file-rss:0kB'],
    'oom-guest',
  ],
  ['a balloon that cannot grow', ["virtio_balloon virtio3: Out of puff! Can't get 1 pages"], 'oom-guest'],
  [
    'a panic for another reason',
    ['Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b'],
    'vm-teardown',
  ],
  ['nothing', [], 'unknown'],
  [
    'a step that limits its own processes',
    ['Memory cgroup out of memory: Killed process 911 (node) total-vm:2220112kB, anon-rss:1041220kB'],
    'unknown',
  ],
]

describe('a microVM whose guest wrote last', () => {
  it.each(CASES)('%s', async (_what, words, cause) => {
    await using bundle = await openKnown(ARCHIVE)
    const judged = await judgeKnown(withLastWords(bundle, words))
    expect(judged?.verdict.cause).toBe(cause)
    expect(judged?.verdict.sentence).not.toContain('from inside')
  })
})
