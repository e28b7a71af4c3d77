import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '#/cli/commands.ts'
import type { Command, Leaf } from '#/cli/frame/command.ts'
import type { Flag } from '#/cli/frame/flag.ts'
import { globalFlags, rootFlags } from '#/cli/frame/global-flags.ts'
import { parse } from '#/cli/frame/parse.ts'
import { settings } from '#/config/setting.ts'

type Named = { readonly name: string; readonly command: Command }

function all(command: Command, name: string): readonly Named[] {
  const children = command.kind === 'group' ? command.commands : []
  return [{ name, command }, ...children.flatMap((child) => all(child, `${name} ${child.name}`))]
}
const commands = all(root, root.name)
const leaves = commands.flatMap(({ name, command }) => (command.kind === 'leaf' ? [{ name, leaf: command }] : []))
const flags = (leaf: Leaf) => Object.entries(leaf.flags)

describe('the commands', () => {
  it.each(commands)('$name has a summary and a description', ({ command }) => {
    expect(command.name).toMatch(/^[a-z_][a-z_-]*$/)
    expect(command.summary).toMatch(/^[A-Z].{10,90}[^.]$/)
    expect(command.description).toMatch(/^[A-Z][\s\S]*\.$/)
  })

  it.each(leaves)('$name has examples that its parser accepts', ({ leaf }) => {
    expect(leaf.examples.length).toBeGreaterThan(0)
    for (const { line } of leaf.examples) {
      const words = (/(?:^|[ (])signalbox ([^>)]*)/.exec(line)?.[1] ?? '').trim().split(/\s+/)
      const plain = words.map((word) => word.replaceAll("'", ''))
      expect(parse(plain, root)).toMatchObject({ kind: 'run', leaf: { name: leaf.name } })
    }
  })

  it.each(leaves)('$name documents its exit codes', ({ leaf }) => {
    expect(leaf.exitCodes[0]).toMatch(/\.$/)
    for (const when of Object.values(leaf.exitCodes)) expect(when).toMatch(/^[A-Z].*\.$/)
  })

  it.each(leaves)('$name can be loaded', async ({ leaf }) => {
    expect(await leaf.load()).toHaveProperty('run')
  })

  it.each(leaves)('$name has optional and repeated arguments last', ({ leaf }) => {
    const order = leaf.positionals.map(({ required, repeatable }) => (repeatable === true ? 2 : required ? 0 : 1))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(leaf.positionals.filter(({ repeatable }) => repeatable === true).length).toBeLessThan(2)
  })

  it('use a flag name with one meaning everywhere', () => {
    const everywhere: readonly (readonly [string, Flag])[] = [
      ...Object.entries({ ...globalFlags, ...rootFlags }),
      ...leaves.flatMap(({ leaf }) => flags(leaf)),
    ]
    for (const [name, flag] of everywhere) {
      for (const [otherName, other] of everywhere) {
        if (name === otherName) expect([name, flag.kind, flag.short]).toEqual([otherName, other.kind, other.short])
        else
          expect(
            flag.short === undefined || flag.short !== other.short,
            `-${flag.short} of ${name} and ${otherName}`,
          ).toBe(true)
      }
    }
  })

  it('name only settings that exist', () => {
    const sets = [...Object.values(globalFlags), ...leaves.flatMap(({ leaf }) => Object.values(leaf.flags))].flatMap(
      (flag) => ('sets' in flag && flag.sets !== undefined ? [flag.sets.path] : []),
    )
    expect(sets.filter((path) => !settings.some((setting) => setting.path === path))).toEqual([])
  })

  it('lists every folder that has a command', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
      // frame/command.ts only has the types.
      .filter((entry) => entry.isDirectory() && entry.name !== 'frame')
      .filter((entry) => existsSync(join(import.meta.dirname, entry.name, 'command.ts')))
      .map(({ name }) => name)
    const listed = root.commands.map(({ name }) => name.replaceAll('_', ''))
    expect(folders.toSorted()).toEqual(listed.toSorted())
  })
})
