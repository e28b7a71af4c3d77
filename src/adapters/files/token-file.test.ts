import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTokenFile, tokenIn } from './token-file.ts'

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
