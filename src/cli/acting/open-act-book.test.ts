import { expect, it } from 'vitest'
import { openActBook } from './open-act-book.ts'

it('opens nothing where neither a server nor a folder can keep the ledger', async () => {
  await expect(openActBook({} as never, { evidence: undefined })).rejects.toMatchObject({ exitCode: 3 })
})
