/** GitHub refuses longer ones. */
const LONGEST_NAME = 64
const MARK_DIGITS = 8

/**
 * The name of a runner: that of its pod, cut, and a mark that is fresh for each registration, because GitHub keeps a name
 * from the moment of a registration whose answer was lost.
 */
export function nameRunner(pod: string, mark: string): string {
  const digits = mark.slice(0, MARK_DIGITS)
  return `${pod.slice(0, LONGEST_NAME - digits.length - 1)}-${digits}`
}
