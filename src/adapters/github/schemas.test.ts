import type { components } from '@octokit/openapi-types'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import { textWith } from '#test/contracts/github-matchers.ts'
import { readJson } from '#/adapters/github/http/read-json.ts'
import type {
  annotationSchema,
  appSchema,
  checkRunSchema,
  installationSchema,
  jobSchema,
  repositorySchema,
  runSchema,
} from './schemas.ts'
import { deliverySchema, rateLimitSchema, runnerSchema } from './schemas.ts'
import { createScrub } from '#/adapters/github/http/scrub.ts'
import { shape } from '#/adapters/github/http/shape.ts'

type Published = components['schemas']

/** As JSON gives it: our job ids fit a number, and the wide ones are digits by then. */
type Plain<T> = T extends bigint
  ? never
  : T extends readonly (infer Row)[]
    ? Plain<Row>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T

type Shape<Name extends keyof Published> = Plain<Published[Name]>

describe("what we read of GitHub's answers", () => {
  it('is in all that GitHub publishes about them', () => {
    expectTypeOf<Shape<'runner'>>().toExtend<z.input<typeof runnerSchema>>()
    expectTypeOf<Shape<'job'>>().toExtend<z.input<typeof jobSchema>>()
    expectTypeOf<Shape<'workflow-run'>>().toExtend<z.input<typeof runSchema>>()
    expectTypeOf<Shape<'check-annotation'>>().toExtend<z.input<typeof annotationSchema>>()
    expectTypeOf<Shape<'check-run'>>().toExtend<z.input<typeof checkRunSchema>>()
    expectTypeOf<Shape<'installation'>>().toExtend<z.input<typeof installationSchema>>()
    expectTypeOf<Shape<'repository'>>().toExtend<z.input<typeof repositorySchema>>()
    expectTypeOf<Shape<'minimal-repository'>>().toExtend<z.input<typeof repositorySchema>>()
    expectTypeOf<Shape<'rate-limit-overview'>>().toExtend<z.input<typeof rateLimitSchema>>()
    expectTypeOf<NonNullable<Shape<'integration'>>>().toExtend<z.input<typeof appSchema>>()
    expectTypeOf<Shape<'hook-delivery-item'>>().toExtend<z.input<typeof deliverySchema>>()
  })

  it('accepts what GitHub adds later', () => {
    const runner = {
      id: 1,
      name: 'r',
      os: 'linux',
      status: 'sleeping',
      busy: false,
      labels: [{ name: 'l', new: 1 }],
      more: {},
    }
    expect(runnerSchema.parse(runner)).toMatchObject({
      status: 'unknown',
      ephemeral: null,
      groupId: null,
      labels: ['l'],
    })
  })

  it('never quotes what GitHub sent where it is wrong, neither values nor keys', () => {
    const token = `ghs_${'a1'.repeat(20)}`
    const result = shape({ resources: { [token]: token } }, rateLimitSchema, createScrub())
    expect(result).toMatchObject({ kind: 'blind', reason: { code: 'malformed', detail: textWith('resources.') } })
    expect(JSON.stringify(result)).not.toContain('a1a1')
  })

  it('keeps ids that a number cannot hold', () => {
    const text = `{"id":9223372036854775807,"guid":"g","event":"ping","action":null,"status":"OK","status_code":200,
      "redelivery":false,"delivered_at":"2026-11-15T12:00:00Z","score":1.5,"small":12345678901234567e2}`
    expect(deliverySchema.parse(readJson(text))).toMatchObject({ id: '9223372036854775807', action: null })
    expect(readJson(text)).toMatchObject({ score: 1.5, status_code: 200 })
  })
})
