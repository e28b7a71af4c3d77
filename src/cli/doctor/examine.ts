import { startDeadline } from '#/adapters/http/deadline.ts'
import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { fail } from '#/cli/doctor/check.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { redact } from '#/adapters/redaction/redact.ts'

export type Examined = { readonly check: Check; readonly result: CheckResult }

/** Creating a database on a slow disk takes longest. */
const LONGEST_MS = 90_000

/**
 * One check that throws does not hide the others. Each is awaited even after an abort, because it may have to clean
 * up.
 */
export async function examine(check: Check, context: DoctorContext): Promise<Examined> {
  using deadline = startDeadline(context.clock, LONGEST_MS, context.signal)
  const cost = 'Everything that depends on it is unknown.'
  try {
    const result = await check.check({ ...context, signal: deadline.signal })
    if (!deadline.expired()) return { check, result }
    return { check, result: fail('no answer in time', { cost, fix: 'Run signalbox doctor again later.' }) }
  } catch (error) {
    const why = redact(error instanceof Error ? error.message : String(error))
    return {
      check,
      result: fail(`the check itself failed: ${why}`, { cost, fix: 'Report this as a bug of signalbox.' }),
    }
  }
}

export function doctorExitCode(examined: readonly Examined[]): ExitCode {
  const outside = examined.filter(({ check }) => check.reaches === true)
  if (!outside.some(({ result }) => result.kind === 'ok') && outside.some(({ result }) => result.kind === 'fail')) {
    return EXIT.blind
  }
  return examined.some(({ result }) => result.kind === 'fail') ? EXIT.failed : EXIT.ok
}
