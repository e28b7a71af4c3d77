import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '#test/cli/run-in-process.ts'
import { repository } from '#test/cli/run-signalbox.ts'

/** Written by hand, with output of the program in them. The pages of the causes are generated: src/cli/pages/cause-pages.test.ts. */
const GUIDES = ['README.md', 'docs/why.md', 'docs/reap.md']

const GAP = '…'

type Shown = { readonly page: string; readonly command: string; readonly lines: readonly string[] }

function shownIn(page: string): readonly Shown[] {
  const text = readFileSync(path.join(repository, page), 'utf8')
  return [...text.matchAll(/^```console\n\$ signalbox (.+)\n([^`]*)^```$/gm)].map(
    ([, command = '', lines = '']): Shown => ({ page, command, lines: splitLines(lines) }),
  )
}

/** Column widths and empty lines may differ. */
function splitLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '')
}

/** A line `…` replaces any lines; inside a line it replaces a part. */
function isLike(shown: string, printed: string): boolean {
  const [first = '', ...rest] = shown.split(GAP).map((part) => part.trim())
  if (!printed.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = printed.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return shown.endsWith(GAP) || at === printed.length
}

/** The lines that the program does not print at their place; none where the guide is right. */
function strangers(shown: readonly string[], printed: readonly string[]): readonly string[] {
  let at = 0
  let isOpen = false
  const missing: string[] = []
  for (const line of shown) {
    if (line === GAP) {
      isOpen = true
      continue
    }
    const found = printed.findIndex((one, index) => index >= at && isLike(line, one))
    if (found === -1 || (!isOpen && found !== at)) missing.push(line)
    else at = found + 1
    isOpen = false
  }
  return isOpen || at === printed.length ? missing : [...missing, `after that: ${printed[at]}`]
}

describe('the guides', () => {
  const all = GUIDES.flatMap(shownIn)

  it('show output of the program', () => {
    expect(new Set(all.map(({ page }) => page))).toEqual(new Set(GUIDES))
  })

  it.each(all.map((shown) => [shown.page, shown.command, shown] as const))(
    '%s shows what signalbox %s prints',
    async (_page, command, { lines }) => {
      const { stdout, stderr } = await runInProcess(command.split(' '))
      expect([strangers(lines, splitLines(stdout)), stderr]).toEqual([[], ''])
    },
  )

  it('fail on lines that the program does not print', () => {
    const printed = ['one fact', 'two', 'three']
    expect(strangers(['one fact', '…', 'three'], printed)).toEqual([])
    expect(strangers(['one …', 'two', '…'], printed)).toEqual([])
    expect(strangers(['… fact', 'two', 'three'], printed)).toEqual([])
    expect(strangers(['one fact', 'three'], printed)).toEqual(['three', 'after that: two'])
    expect(strangers(['one', '…'], printed)).toEqual(['one'])
    expect(strangers(['one fact', 'two'], printed)).toEqual(['after that: three'])
  })
})
