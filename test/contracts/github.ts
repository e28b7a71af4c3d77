import { afterEach, beforeEach, describe } from 'vitest'
import { accessContract } from './github-access.ts'
import { checksContract } from './github-checks.ts'
import { documentsContract } from './github-documents.ts'
import { hooksContract } from './github-hooks.ts'
import { jobsContract } from './github-jobs.ts'
import { runnersContract } from './github-runners.ts'
import type { GitHubWorld } from './github-world.ts'

/** What every GitHub port must do. `open` returns a new simulated GitHub. */
export function describeGitHubContract(name: string, open: () => Promise<GitHubWorld>): void {
  describe(`GitHub, ${name}`, () => {
    let opened: GitHubWorld | undefined
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(async () => {
      await opened?.[Symbol.asyncDispose]()
      opened = undefined
    })
    const world = (): GitHubWorld => {
      if (opened === undefined) throw new Error('use the simulated GitHub only inside tests')
      return opened
    }
    runnersContract(world)
    jobsContract(world)
    checksContract(world)
    hooksContract(world)
    accessContract(world)
    documentsContract(world)
  })
}
