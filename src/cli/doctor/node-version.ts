import type { Check, CheckResult } from '#/cli/doctor/check.ts'
import { fail, ok } from '#/cli/doctor/check.ts'

const OLDEST = [24, 14] as const

export const nodeVersion: Check = {
  id: 'node-version',
  title: 'Node',
  check: async () => judgeNodeVersion(process.versions.node),
}

export function judgeNodeVersion(version: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return ok(version)
  return fail(`${version} is older than ${OLDEST.join('.')}`, {
    cost: 'Signalbox may not start, or may fail in untested ways.',
    fix: 'Install Node 24.14 or newer, or run npm ci in the checkout, which installs one.',
  })
}
