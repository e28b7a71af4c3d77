import path from 'node:path'
import { expect, it } from 'vitest'
import { LOOPS } from '#/reconcilers/index.ts'
import { recoveryPage } from './recovery-page.ts'

const file = path.resolve(import.meta.dirname, '..', '..', '..', 'docs', 'recovery.md')

it('docs/recovery.md has what each loop says of itself', async () => {
  await expect(recoveryPage(LOOPS)).toMatchFileSnapshot(file)
})
