import { readPostgresEnvironment } from './environment.ts'

/** Only root can act as two users. Without root a line names what is not tested; where everything must run, it throws. */
export function hasRootFor(what: string): boolean {
  if (process.getuid?.() === 0) return true
  const line = `NOT TESTED: ${what}. Run the tests as root to include it.`
  if (readPostgresEnvironment().fullTestsRequired) throw new Error(line)
  process.stderr.write(`${line}\n`)
  return false
}
