import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { LOOPS } from '#/reconcilers/index.ts'
import { recoveryPage } from './recovery-page.ts'

const top = path.resolve(import.meta.dirname, '..', '..', '..')
const readLoop = async (id: string): Promise<string> =>
  await readFile(path.join(top, 'src', 'reconcilers', `${id}.ts`), 'utf8')

it('docs/recovery.md has what each loop says of itself', async () => {
  const loops = await Promise.all(LOOPS.map(async ({ id }) => ({ id, text: await readLoop(id) })))
  await expect(recoveryPage(loops)).toMatchFileSnapshot(path.join(top, 'docs', 'recovery.md'))
})
