import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonSchema } from '#/config/json-schema.ts'
import { settingsReference } from '#/config/reference.ts'

const repository = resolve(import.meta.dirname, '..', '..')

describe('files generated from the settings', () => {
  it('docs/configuration.md has the current table', async () => {
    const page = resolve(repository, 'docs/configuration.md')
    const [before = '', after = ''] = readFileSync(page, 'utf8').split(
      /(?<=<!-- settings: [^\n]*\n)[\s\S]*(?=<!-- settings end)/,
    )
    expect(after).toContain('<!-- settings end')
    await expect(`${before}\n${settingsReference()}\n${after}`).toMatchFileSnapshot(page)
  })

  it('schemas/config.schema.json is the current schema', async () => {
    const file = resolve(repository, 'schemas/config.schema.json')
    await expect(`${JSON.stringify(jsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file)
  })
})
