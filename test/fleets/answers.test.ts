import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import { auditFolder, findAudit, complaints } from './audit-fleet.ts'
import { KNOWN_FLEETS } from './known-fleets.ts'

const known = new Set<string>(AUDITS.map(({ id }) => id))

describe('a fleet with expected findings', () => {
  for (const fleet of KNOWN_FLEETS) {
    for (const expected of fleet.expected.filter(({ audit }) => known.has(audit))) {
      const asked = expected.runner === undefined ? {} : { runner: expected.runner }
      it(`${fleet.folder}/${fleet.name} is judged as expected by ${expected.audit}`, async () => {
        const report = await auditFolder(fleet.path, findAudit(expected.audit), asked)
        expect(complaints(report, expected)).toEqual([])
      })
    }
  }
})
