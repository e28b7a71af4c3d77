import { describe } from 'vitest'
import { progress } from '#test/cluster/command.ts'
import { readClusterEnvironment } from '#test/cluster/environment.ts'

/** A suite that is skipped with one line when something is missing, or fails where skipping is not allowed. */
export function describeUnless(missing: string | null, name: string, body: () => void): void {
  if (missing !== null && readClusterEnvironment().fullTestsRequired) {
    throw new Error(`SIGNALBOX_REQUIRE_FULL_TESTS is set and ${name} cannot be tested: ${missing}`)
  }
  if (missing !== null) progress(`SKIPPING ${name.toUpperCase()}. To enable it: ${missing}`)
  // oxlint-disable-next-line vitest/valid-title -- the rule cannot see that the name is a string
  describe.skipIf(missing !== null)(name, () => {
    body()
  })
}
