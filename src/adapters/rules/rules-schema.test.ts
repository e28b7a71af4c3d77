import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readRules } from './read-rules.ts'
import { rulesJsonSchema, rulesSchema } from './rules-schema.ts'

const repository = resolve(import.meta.dirname, '..', '..', '..')

describe('schemas/rules.schema.json', () => {
  it('is the present schema', async () => {
    const file = resolve(repository, 'schemas/rules.schema.json')
    await expect(`${JSON.stringify(rulesJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file)
  })

  const page = readFileSync(resolve(repository, 'docs/own-rules.md'), 'utf8')
  const [example = ''] = /(?<=```yaml\n)# rules\.yaml\n[\s\S]*?(?=```)/.exec(page) ?? []
  const validate = new Ajv2020().compile(rulesJsonSchema())

  it('takes the example of docs/own-rules.md, and so does the reader', () => {
    expect(example).toContain('kind: Rules')
    expect([validate(parse(example)), validate.errors]).toEqual([true, null])
    expect(readRules(example, { signatures: [], causes: [] })).toMatchObject({ kind: 'read', warnings: [] })
  })

  it.each<[string, string]>([
    ['kind: Rules', 'kind: Rule'],
    ['streams:', 'stream:'],
    ['weight: 0.9', 'weight: 0.99'],
  ])('refuses it with %j as %j, and so does the reader', (part, by) => {
    const wrong: unknown = parse(example.replace(part, by))
    expect(example).toContain(part)
    expect([validate(wrong), rulesSchema.safeParse(wrong).success]).toEqual([false, false])
  })
})
