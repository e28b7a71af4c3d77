import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import type { AuditReport } from '#/core/audit/run-audit.ts'
import { sampled } from '#test/tiers/long-run.ts'
import { auditFiles, readFleetFiles } from './fleet-files.ts'
import { SAME_NAMESPACES, ELSEWHERE, withNeighbour } from './foreign-neighbour.ts'
import type { Neighbour } from './foreign-neighbour.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

const OF_A_SET = new Set(['runtime', 'preflight', 'pull-secrets', 'auth', 'contract'])
const audits = AUDITS.filter(({ id }) => OF_A_SET.has(id))

/** Recordings with the same names, so that each can become a neighbour. */
const RECORDED = KNOWN_FLEETS.filter(({ folder }) => folder === 'arc')
/** Problems that a careless join would attribute to our fleet. */
const LOUD = [
  '0.14.2-wedged-values-change',
  '0.14.2-runner-crash-loop',
  '0.14.2-listener-403-loop',
  '0.14.2-zombie-after-pod-delete',
  '0.13.1-wedged-values-change',
]

/**
 * The exact findings about our own fleet. Gates may become stricter: with a second organisation in the cluster GitHub's list
 * may belong to the other.
 */
function reported(reports: readonly AuditReport[], isOwn: (namespace: string | undefined, name: string) => boolean) {
  return reports.flatMap(({ id, findings }) =>
    findings
      .filter(({ subject }) => isOwn(subject.namespace, subject.name))
      .map(({ class: name, severity, subject, evidence, hint, fields }) => ({
        id,
        name,
        severity,
        subject,
        evidence,
        hint,
        fields,
      }))
      .map((finding) => JSON.stringify(finding))
      .toSorted(),
  )
}

const PAIRS = RECORDED.flatMap((own) =>
  LOUD.filter((name) => name !== own.name).map((name) => [own.name, name, own] as const),
)

const isElsewhere = (namespace: string | undefined): boolean => !(namespace ?? '').startsWith('foreign-')
const isBeside = (namespace: string | undefined, name: string): boolean =>
  namespace === 'arc-runners' && /^(?:docker-build|linux-x64)/.test(name)

describe('the findings about a set', () => {
  it.each(sampled(PAIRS, 4))(
    'of %s stay exactly the same with %s in other or in the same namespaces',
    async (_name, neighbour, own) => {
      const foreign = KNOWN_FLEETS.find(({ name }) => name === neighbour)
      if (foreign === undefined) throw new Error(`there is no ${neighbour}`)
      const [mine, theirs] = [await readFleetFiles(own.path), await readFleetFiles(foreign.path)]
      const alone = await auditFiles(mine, audits)
      const look = async (how: Neighbour, isOwn: (namespace: string | undefined, name: string) => boolean) => {
        const { reports } = await auditFiles(withNeighbour(mine, theirs, how), audits)
        expect(reported(reports, isOwn)).toEqual(reported(alone.reports, isOwn))
        expect(JSON.stringify(reports)).not.toEqual(JSON.stringify(alone.reports))
      }
      await look(ELSEWHERE, isElsewhere)
      await look(SAME_NAMESPACES, isBeside)
    },
  )
})
