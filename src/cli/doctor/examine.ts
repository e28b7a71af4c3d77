import { startDeadline } from '#/adapters/http/deadline.ts'
import type { Check, CheckResult, DoctorContext } from '#/cli/doctor/check.ts'
import { fail } from '#/cli/doctor/check.ts'
import { EXIT } from '#/cli/frame/exit-code.ts'
import type { ExitCode } from '#/cli/frame/exit-code.ts'
import { redact } from '#/adapters/redaction/redact.ts'

export type Examined = { readonly check: Check; readonly result: CheckResult }

/** Creating a database in a trial folder takes longest, on a slow disk. */
const LONGEST_MS = 90_000

/**
 * One check that breaks does not hide the others. Each is waited for, also when it is stopped: it may have something to
 * clear up.
 */
export async function examine(check: Check, context: DoctorContext): Promise<Examined> {
  using deadline = startDeadline(context.clock, LONGEST_MS, context.signal)
  const cost = 'Whatever rests on it is unknown.'
  try {
    const result = await check.check({ ...context, signal: deadline.signal })
    if (!deadline.expired()) return { check, result }
    return { check, result: fail('no answer in time', { cost, mend: 'Run signalbox doctor again later.' }) }
  } catch (error) {
    const why = redact(error instanceof Error ? error.message : String(error))
    return { check, result: fail(`the check itself broke: ${why}`, { cost, mend: 'Report this fault of signalbox.' }) }
  }
}

export function exitCodeOf(examined: readonly Examined[]): ExitCode {
  const outside = examined.filter(({ check }) => check.reaches === true)
  if (!outside.some(({ result }) => result.kind === 'ok') && outside.some(({ result }) => result.kind === 'fail')) {
    return EXIT.blind
  }
  return examined.some(({ result }) => result.kind === 'fail') ? EXIT.failed : EXIT.ok
}
