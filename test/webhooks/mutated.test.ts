import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draws } from '#test/tiers/long-run.ts'
import { completed, inProgress, jobPayload, webhookWorld } from './webhook-world.ts'

const ALL = 10_000
const PER_WORLD = 50

const strange = fc.oneof(
  fc.constantFrom(null, undefined, 0, -1, 1.5, 2 ** 53, 1e308, '', '0', true, [], {}, '9999-99-99', '\0', '\u{D800}'),
  fc.jsonValue(),
  fc.string({ maxLength: 2000 }),
)
const base = fc
  .tuple(fc.constantFrom({}, inProgress(), completed()), fc.integer({ min: 1, max: 5 }))
  .map(([job, id]) => jobPayload({ ...job, id }))
const place = fc.oneof(
  fc
    .constantFrom('id', 'run_id', 'run_attempt', 'status', 'name', 'labels', 'runner_id', 'runner_name', 'created_at')
    .map((field) => ['workflow_job', field]),
  fc.constantFrom('started_at', 'completed_at', 'conclusion', 'workflow_name').map((field) => ['workflow_job', field]),
  fc.constantFrom(
    ['workflow_job'],
    ['repository'],
    ['repository', 'full_name'],
    ['installation'],
    ['installation', 'id'],
  ),
  fc.constantFrom(['action'], ['sender'], ['organization', 'login']),
)
/** One to three fields replaced, or the text of the document cut or overwritten somewhere. */
const mutated = fc.oneof(
  fc
    .tuple(base, fc.array(fc.tuple(place, strange), { minLength: 1, maxLength: 3 }))
    .map(([payload, changes]) =>
      JSON.stringify(changes.reduce((so, [path, value]) => replaced(so, path, value), payload)),
    ),
  fc.tuple(base, fc.nat(), fc.string({ maxLength: 5 })).map(([payload, where, text]) => {
    const body = JSON.stringify(payload)
    const at = where % body.length
    return body.slice(0, at) + text + body.slice(at + text.length)
  }),
)

type Document = Readonly<Record<string, unknown>>

function replaced(document: Document, [field = '', ...rest]: readonly string[], value: unknown): Document {
  const inner = document[field]
  const isInside = rest.length > 0 && typeof inner === 'object' && inner !== null
  return { ...document, [field]: isInside ? replaced({ ...inner }, rest, value) : value }
}

describe('mutated deliveries', () => {
  it('are refused as malformed or get an outcome: no crash, and nothing is stuck', { timeout: 600_000 }, async () => {
    const runs = draws(ALL / PER_WORLD)
    let seen = 0
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(mutated, { minLength: PER_WORLD, maxLength: PER_WORLD }), async (bodies) => {
        const world = webhookWorld()
        const statuses = new Map<number, number>()
        for (const payload of bodies) {
          const { status } = await world.send({ payload })
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          world.clock.advance(1)
        }
        await world.worker.applyDue()
        expect([...statuses.keys()].filter((status) => status !== 202 && status !== 400)).toEqual([])
        expect(await world.store.deliveries.pending(100)).toEqual([])
        const counts = world.counts()
        expect(counts['malformed'] ?? 0).toBe(statuses.get(400) ?? 0)
        expect(await world.rows()).toHaveLength(statuses.get(202) ?? 0)
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(PER_WORLD)
        for (const outcome of Object.keys(counts)) outcomes.add(outcome)
        seen += PER_WORLD
      }),
      { numRuns: runs },
    )
    expect(seen).toBeGreaterThanOrEqual(runs * PER_WORLD)
    expect([...outcomes]).toEqual(expect.arrayContaining(['malformed', 'applied', 'duplicate', 'stale']))
  })
})
