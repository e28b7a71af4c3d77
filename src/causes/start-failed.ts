import { WEIGHT, limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { endedAtOnce, failedInit, isOwnMount, neverStarted, waiting } from '#/core/why/not-started.ts'
import { thePod, toldBy, upper } from '#/core/why/wording.ts'

const CONFIG = /^(?:CreateContainerConfigError|CreateContainerError|RunContainerError)$/

export const startFailed: Cause = {
  id: 'start-failed',
  kind: 'never-started',
  meaning: "the pod's own configuration stopped it: a missing secret, a bad mount, a bad command",
  toldApart: 'The node did its part: scheduled, image there. What the pod asks for does not exist or cannot be run.',
  settledBy: ['kubernetes/pods', 'kubernetes/events', 'journal'],
  weigh: (d) => {
    const refused = d.told('container-start-refused').filter(({ text }) => !/ImagePull/.test(text))
    const tasks = d.told('task-start-failed').filter(({ text }) => !/ImagePull/.test(text))
    return [
      ...speaksFor(WEIGHT.decisive, neverStarted(d)),
      ...speaksFor(WEIGHT.decisive, waiting(d, CONFIG)),
      ...speaksFor(0.9, failedInit(d)),
      ...speaksFor(0.9, refusals(d)),
      ...speaksFor(0.85, recordOfRefusal(d)),
      ...speaksFor(0.9, refused),
      ...speaksFor(0.9, tasks),
      ...speaksFor(0.9, d.told('must-not-run-as-root')),
      ...speaksFor(0.8, d.told('volume-mount-failed').filter(isOwnMount)),
      ...speaksFor(0.55, endedAtOnce(d)),
      ...speaksAgainst(
        d
          .told('runner-listening', 'job-running', 'container-started')
          .filter(({ is }) => is !== 'container-started' || endedAtOnce(d).length === 0)
          .filter(({ is }) => is !== 'container-started' || failedInit(d).length === 0),
      ),
      ...limitedWhile(d.isAlive, 'the container runs', { at: 0 }),
    ]
  },
  sentence: (d) => {
    const [init] = failedInit(d)
    if (init !== undefined)
      return `${upper(thePod(d))} never started: its init container ${init.told['name']} failed with exit code ${init.told['code']}.`
    const why =
      refusals(d)[0]?.told['why'] ??
      recordOfRefusal(d)?.text ??
      toldBy(d, 'container-start-refused', 'why') ??
      toldBy(d, 'task-start-failed', 'why') ??
      waiting(d, CONFIG)[0]?.text ??
      neverStarted(d)[0]?.text ??
      'its own configuration stopped it'
    return `${upper(thePod(d))} never started: ${why}.`
  },
  next: (d) => {
    const why = [
      ...waiting(d, CONFIG),
      ...d.told('container-start-refused', 'volume-mount-failed', 'task-start-failed'),
      ...neverStarted(d),
    ]
      .map(({ text }) => text)
      .join(' ')
    const missing = /(?<kind>secret|configmap)s? \\?"(?<name>[^"\\]+)\\?" not found/i.exec(why)?.groups
    if (missing !== undefined)
      return [
        `Make the ${missing['kind']} ${missing['name']} in namespace ${d.subject.namespace ?? ''}, or take it out of the pod template.`,
      ]
    if (refusals(d).length > 0 || recordOfRefusal(d) !== null)
      return [
        `There is no pod: namespace ${d.subject.namespace ?? ''} does not admit what its template asks for. Change the pod template of the scale set, or the rule that refused it.`,
      ]
    if (failedInit(d).length > 0) return ['Read the log of the init container: its last lines say what stopped it.']
    if (/no such file|executable file not found|permission denied/i.test(why))
      return [
        'The command of the container does not exist in its image, or may not be run: check command, args and the image tag.',
      ]
    return ['Read the message of the container state, and correct the pod template of the scale set.']
  },
}

/** A StatefulSet uses its names again: one that ran was made, whatever was refused before it. */
function refusals({ told, ran, working }: Dossier): readonly Fact[] {
  return ran.length + working.had.length > 0 ? [] : told('pod-refused')
}

/** ARC says in its record alone that the API server took the pod for invalid. A quota has a cause of its own. */
function recordOfRefusal({ ephemeralRunner, recordFact, ran, working }: Dossier): Fact | null {
  if (ran.length + working.had.length > 0) return null
  const isRefused = ephemeralRunner?.phase === 'Failed' && ephemeralRunner.reason === 'InvalidPod'
  return isRefused && !/quota/i.test(ephemeralRunner.message ?? '') ? recordFact : null
}
