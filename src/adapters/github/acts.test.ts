import { describe, expect, it } from 'vitest'
import { blind } from '#/core/basics/observed.ts'
import type { DeregisterAnswer } from '#/ports/github-acts.ts'
import type { DeregisterOutcome } from '#/ports/github.ts'
import { githubActs } from './acts.ts'

const RUNNER = { at: { kind: 'organization', organization: 'acme' }, id: 4711 } as const

describe('the removal of a runner at GitHub', () => {
  it.each<readonly [DeregisterOutcome, DeregisterAnswer]>([
    [{ kind: 'deregistered' }, { kind: 'removed' }],
    [{ kind: 'busy' }, { kind: 'busy' }],
    [{ kind: 'absent' }, { kind: 'absent' }],
    [blind('timeout', 'no answer'), blind('timeout', 'no answer')],
    [
      { kind: 'forbidden', permission: 'administration=write', detail: '403' },
      blind('forbidden', '403 (it needs administration=write)'),
    ],
  ])('reads the answer %j as %j', async (outcome, answer) => {
    const acts = githubActs({ deregister: async () => outcome })
    expect(await acts.deregister(RUNNER, new AbortController().signal)).toEqual(answer)
  })
})
