import { createHash } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTokenFile, singleTokenSource, tokenIn, tokensFileSource } from './token-file.ts'

const TOKEN = 'abcdefghijklmnopqrstuvwx'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-token-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function writeToken(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('a token in a file', () => {
  it('lets in who knows it, and nobody who knows a part of it or more', async () => {
    const token = openTokenFile(await writeToken('plain', `${TOKEN}\n`))
    expect(await token.fault()).toBeNull()
    expect(await token.judge(TOKEN)).toBe('right')
    for (const wrong of ['', TOKEN.slice(1), `${TOKEN}x`, TOKEN.toUpperCase()]) {
      expect(await token.judge(wrong)).toBe('wrong')
    }
  })

  it('is another one as soon as the file is, and nobody is let in without the file', async () => {
    const path = await writeToken('changing', TOKEN)
    const token = openTokenFile(path)
    expect(await token.judge(TOKEN)).toBe('right')
    const second = TOKEN.replace('a', 'b')
    await rename(await writeToken('next', second), path)
    expect([await token.judge(TOKEN), await token.judge(second)]).toEqual(['wrong', 'right'])
    await rm(path)
    expect(await token.judge(second)).toBe('unusable')
    expect(await token.fault()).toContain('does not exist')
    await writeToken('changing', TOKEN)
    expect(await token.judge(TOKEN)).toBe('right')
  })

  it.each([
    ['one that is too short', TOKEN.slice(1), 'shorter than 24'],
    ['an empty file', '', 'shorter than 24'],
    ['two words', `${TOKEN} ${TOKEN}`, 'one word'],
    ['a file that is too large', TOKEN.repeat(200), 'larger than 4096'],
  ])('is unusable where it is %s, and the fault does not show it', async (_, text, why) => {
    const token = openTokenFile(await writeToken('bad', text))
    expect(await token.judge(text)).toBe('unusable')
    const fault = (await token.fault()) ?? ''
    expect(fault).toContain(why)
    expect(fault).not.toContain(TOKEN.slice(1))
  })

  it('is read for one who shows it', async () => {
    expect(await tokenIn(await writeToken('shown', `  ${TOKEN}\r\n`))).toEqual({ token: TOKEN })
  })
})

const DIGEST = 'ab'.repeat(32)

describe('a file that admits callers of the API', () => {
  it('with one token gives its digest and the role operate', async () => {
    const path = await writeToken('single', `${TOKEN}\n`)
    const digest = createHash('sha256').update(TOKEN).digest('hex')
    const token = { name: 'api.tokenFile', role: 'operate', digest, expiresAt: null, revokedAt: null }
    expect(await singleTokenSource('api.tokenFile', path).read()).toEqual({ tokens: [token] })
  })

  it('with several is read again when it changes, and admits nobody while it is wrong or gone', async () => {
    const path = await writeToken('list', `ci read ${DIGEST} never\n`)
    const { read } = tokensFileSource('api.tokensFile', path)
    expect(await read()).toMatchObject({ tokens: [{ name: 'ci', role: 'read', digest: DIGEST }] })
    await rename(await writeToken('next', `ci read ${DIGEST} never\nops operate ${DIGEST} never\n`), path)
    expect(await read()).toMatchObject({ tokens: [{ name: 'ci' }, { name: 'ops' }] })
    await rename(await writeToken('next', `ci read ${TOKEN} never\n`), path)
    const wrong = await read()
    expect(wrong).toEqual({ fault: expect.stringContaining(`${path}: line 1: `) as string })
    expect(JSON.stringify(wrong)).not.toContain(TOKEN)
    await rm(path)
    expect(await read()).toEqual({ fault: `${path} does not exist` })
  })
})
