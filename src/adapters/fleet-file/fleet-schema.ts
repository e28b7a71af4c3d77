import { z } from 'zod'
import { DURATION_FORM, parseDuration } from '#/core/basics/duration.ts'
import { GITLAB_ROLES, LANE_CLASSES, POOL_ROLES } from '#/core/fleet-file/fleet-file.ts'
import { THRESHOLD_NAMES, thresholdKind } from '#/core/fleet-file/thresholds.ts'
import type { ThresholdName } from '#/core/fleet-file/thresholds.ts'

const LONGEST_TEXT = 1_000
const MOST_ITEMS = 10_000

const text = z.string().regex(/\S/, 'is empty').max(LONGEST_TEXT, `is longer than ${LONGEST_TEXT} characters`)
const count = z.number().int('is not a whole number').min(0, 'must be at least 0')

function several<S extends z.ZodType>(item: S) {
  return z.array(item).max(MOST_ITEMS, `has more than ${MOST_ITEMS} items`)
}

const place = z.strictObject({ namespace: text, name: text })

const pool = z.strictObject({
  name: text,
  selector: z.record(text, z.string()).meta({ description: 'Labels that every node of the pool has' }),
  role: z.enum(POOL_ROLES).default('baseline'),
})

const owner = z.strictObject({
  name: text,
  namespaces: several(text).optional(),
  scaleSets: several(text).optional().meta({ description: 'name, or namespace/name' }),
})

const lane = z.strictObject({
  label: text.meta({ description: 'The label in runs-on of workflows' }),
  class: z.enum(LANE_CLASSES).optional(),
  scaleSets: several(text)
    .optional()
    .meta({ description: 'name, or namespace/name; default: all sets with the label' }),
  declaredMax: count.optional(),
  envelope: z.record(text, count).optional().meta({ description: 'How many runners each node pool should hold' }),
  requiredVolumes: several(z.strictObject({ name: text, storageClass: text.optional() })).optional(),
})

const pullSecret = z.strictObject({
  name: text,
  authoritative: z.strictObject({ namespace: text }),
  copies: several(z.strictObject({ namespace: text })).default([]),
})

const cache = z.strictObject({
  env: several(text).optional().meta({ description: 'Variables that the runner container must have' }),
  secret: place.optional(),
  service: place.optional(),
  cacheName: text.optional(),
  trustedKeys: several(text).optional(),
})

const release = z.strictObject({
  component: text.meta({ description: "The image's repository, without a tag" }),
  declared: text.optional().meta({ description: 'The tag or digest that should run' }),
  fixedIn: text
    .optional()
    .meta({ description: 'The first release that contains the fix, or unreleased if none does yet' }),
  contains: several(text)
    .optional()
    .meta({ description: 'Tags or digests that contain the fix although they are not comparable versions' }),
  issue: text.optional(),
})

const gitlab = z.strictObject({
  group: text.optional(),
  namespace: text.optional(),
  tokenSecret: place.optional(),
  autoCreatesTokens: z.boolean().optional(),
  role: z.enum(GITLAB_ROLES).optional().meta({ description: "The role of the token's owner in the group" }),
  tags: several(text).optional().meta({ description: 'Tags that jobs ask for; each needs a runner that is online' }),
})

const duration = z
  .string()
  .refine((value) => parseDuration(value) !== null, `is not ${DURATION_FORM}`)
  .transform((value) => parseDuration(value) ?? 0)

function threshold(name: ThresholdName) {
  const kind = thresholdKind(name)
  if (kind === 'duration') return duration.optional()
  return kind === 'share'
    ? z.number().min(0, 'must be at least 0').max(1, 'must be at most 1').optional()
    : z.number().min(0, 'must be at least 0').optional()
}

const thresholds = z.strictObject(Object.fromEntries(THRESHOLD_NAMES.map((name) => [name, threshold(name)])))

export const FLEET_API_VERSION = 'signalbox.dev/v1alpha1'

export const fleetSchema = z.strictObject({
  apiVersion: z.literal(FLEET_API_VERSION),
  kind: z.literal('Fleet'),
  metadata: z.looseObject({ name: text.optional() }).optional(),
  spec: z
    .strictObject({
      controllerNamespace: text.optional(),
      runnerNamespaces: several(text).optional(),
      nodePools: several(pool).optional(),
      owners: several(owner).optional(),
      lanes: several(lane).optional(),
      pullSecrets: several(pullSecret).optional(),
      cache: cache.optional(),
      releases: several(release).optional(),
      gitlab: gitlab.optional(),
      thresholds: thresholds.optional(),
    })
    .default({}),
})

/** The JSON schema of a fleet file as written by hand. */
export function fleetJsonSchema(): Readonly<Record<string, unknown>> {
  return { ...z.toJSONSchema(fleetSchema, { io: 'input' }), title: 'Fleet file of signalbox' }
}
