import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#/cli/commands.ts'
import { commandReference } from './reference.ts'

describe('docs/cli.md', () => {
  it('matches the commands', async () => {
    const page = resolve(import.meta.dirname, '..', '..', '..', 'docs/cli.md')
    await expect(commandReference(root)).toMatchFileSnapshot(page)
  })
})
