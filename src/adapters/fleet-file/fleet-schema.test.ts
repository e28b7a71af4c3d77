import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { checkFleet } from './check-fleet.ts'
import { fleetJsonSchema, fleetSchema } from './fleet-schema.ts'

const repository = resolve(import.meta.dirname, '..', '..', '..')

describe('schemas/fleet.schema.json', () => {
  it('is up to date', async () => {
    const file = resolve(repository, 'schemas/fleet.schema.json')
    await expect(`${JSON.stringify(fleetJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(file)
  })

  const page = readFileSync(resolve(repository, 'docs/fleet-file.md'), 'utf8')
  const [example = ''] = /(?<=```yaml\n)# fleet\.yaml\n[\s\S]*?(?=```)/.exec(page) ?? []
  const validate = new Ajv2020().compile(fleetJsonSchema())

  it('accepts the example of docs/fleet-file.md, like the check', () => {
    expect(example).toContain('kind: Fleet')
    expect([validate(parse(example)), validate.errors]).toEqual([true, null])
    expect(checkFleet(example)).toMatchObject({ kind: 'right', file: { thresholds: { podStart: 300_000 } } })
  })

  it('accepts a file with only apiVersion and kind', () => {
    const least = 'apiVersion: signalbox.dev/v1alpha1\nkind: Fleet\n'
    expect([validate(parse(least)), checkFleet(least)]).toEqual([true, { kind: 'right', file: {} }])
  })

  it.each<[string, string]>([
    ['kind: Fleet', 'kind: Fleets'],
    ['lanes:', 'lane:'],
    ['role: overflow', 'role: spare'],
    ['declaredMax: 20', 'declaredMax: -1'],
  ])('refuses it with %j as %j, like the check', (part, by) => {
    expect(example).toContain(part)
    const wrong: unknown = parse(example.replace(part, by))
    expect([validate(wrong), fleetSchema.safeParse(wrong).success]).toEqual([false, false])
    expect(checkFleet(example.replace(part, by)).kind).toBe('wrong')
  })
})
