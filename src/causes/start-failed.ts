import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import {
  endedAtOnce,
  failedInit,
  isOwnMount,
  neverStarted,
  refusedExec,
  waiting,
} from '#/core/why/weighing/not-started.ts'
import { thePod, clueField, upper } from '#/core/why/wording.ts'

/** Said by an init container or a poller that fetches the registration. */
const REFUSED = ['registration-refused', 'registration-rate-limited', 'not-authorized'] as const

const CONFIG = /^(?:CreateContainerConfigError|CreateContainerError|RunContainerError)$/

export const startFailed: Cause = {
  id: 'start-failed',
  kind: 'never-started',
  meaning: "the pod's own configuration stopped it: a missing secret, a bad mount, a bad command",
  distinguishedBy:
    'The pod was scheduled and its image is present. Something that the pod template names does not exist or cannot run.',
  settledBy: ['kubernetes/pods', 'kubernetes/events', 'journal'],
  weigh: (d) => {
    const refused = d.subjectClues('container-start-refused').filter(({ text }) => !/ImagePull/.test(text))
    const tasks = d.subjectClues('task-start-failed').filter(({ text }) => !/ImagePull/.test(text))
    return [
      ...supports(WEIGHT.decisive, neverStarted(d)),
      ...supports(WEIGHT.decisive, waiting(d, CONFIG)),
      ...supports(0.9, failedInit(d)),
      ...supports(0.9, refusals(d)),
      ...supports(0.85, refusalRecord(d)),
      ...supports(0.9, refused),
      ...supports(0.9, tasks),
      ...supports(0.9, d.subjectClues('must-not-run-as-root')),
      ...supports(0.8, d.subjectClues('volume-mount-failed').filter(isOwnMount)),
      ...supports(0.93, refusedExec(d)),
      ...supports(0.55, endedAtOnce(d)),
      ...contradicts(
        d
          .subjectClues('runner-listening', 'job-running', 'container-started')
          .filter(({ is }) => is !== 'container-started' || endedAtOnce(d).length + refusedExec(d).length === 0)
          .filter(({ is }) => is !== 'container-started' || failedInit(d).length === 0),
      ),
      ...contradicts(failedInit(d).length > 0 ? d.subjectClues(...REFUSED) : []),
      ...limitedWhile(
        failedInit(d).length > 0 && !failedInit(d).some(({ fields }) => d.loggedContainers.has(fields['name'] ?? '')),
        'the log of the init container, which says why it failed, is missing',
        { missing: ['logs'] },
      ),
      ...limitedWhile(d.isAlive, 'the container is running', { at: 0 }),
    ]
  },
  sentence: (d) => {
    const [init] = failedInit(d)
    if (init !== undefined)
      return `${upper(thePod(d))} never started: its init container ${init.fields['name']} failed with exit code ${init.fields['code']}.`
    const why =
      describeRefusal(refusals(d)) ??
      describeExec(refusedExec(d)) ??
      refusalRecord(d)?.text ??
      clueField(d, 'container-start-refused', 'why') ??
      clueField(d, 'task-start-failed', 'why') ??
      waiting(d, CONFIG)[0]?.text ??
      neverStarted(d)[0]?.text ??
      'its own configuration stopped it'
    return `${upper(thePod(d))} never started: ${why}.`
  },
  next: (d) => {
    const why = [
      ...refusedExec(d),
      ...waiting(d, CONFIG),
      ...d.subjectClues('container-start-refused', 'volume-mount-failed', 'task-start-failed'),
      ...neverStarted(d),
    ]
      .map(({ text }) => text)
      .join(' ')
    const missing = /(?<kind>secret|configmap)s? \\?"(?<name>[^"\\]+)\\?" not found/i.exec(why)?.groups
    if (missing !== undefined)
      return [
        `Create the ${missing['kind']} ${missing['name']} in namespace ${d.subject.namespace ?? ''}, or remove it from the pod template.`,
      ]
    if (refusals(d).length > 0 || refusalRecord(d) !== null)
      return [
        `There is no pod: namespace ${d.subject.namespace ?? ''} does not admit its template. Change the pod template of the scale set, or the rule that refused it.`,
      ]
    if (refusedExec(d).some(({ text }) => WRONG_FORMAT.test(text)))
      return [
        `The image is built for another processor than that of ${d.subject.node ?? 'the node'}: build it for both, or keep the scale set on its own kind of node (nodeSelector kubernetes.io/arch).`,
      ]
    if (failedInit(d).length > 0) return ['Read the log of the init container: its last lines say what stopped it.']
    if (/no such file|executable file not found|permission denied/i.test(why))
      return [
        'The command of the container does not exist in its image or is not executable: check command, args and the image tag.',
      ]
    return ['Read the message of the container state, and fix the pod template of the scale set.']
  },
}

const WRONG_FORMAT = /exec format error/i

/** A StatefulSet reuses its names: a pod that exists or ran was created, even if an earlier one was refused. */
function refusals(d: Dossier): readonly Fact[] {
  return d.pod !== null || d.ran.length + d.working.had.length > 0 ? [] : d.subjectClues('pod-refused')
}

/** The API server's own words, or the name of the webhook, whose words are as long as its policy. */
function describeRefusal(facts: readonly Fact[]): string | null {
  const { why, webhook, rule } =
    facts.find(({ fields }) => fields['why'] !== undefined || fields['webhook'] !== undefined)?.fields ??
    facts[0]?.fields ??
    {}
  if (why !== undefined) return why.replaceAll(String.raw`\"`, '"')
  if (webhook !== undefined) return `the admission webhook ${webhook} refused the pod`
  return rule === undefined ? null : `the rule ${rule} of a policy refused the pod`
}

function describeExec([fact]: readonly Fact[]): string | null {
  if (fact === undefined) return null
  const { command = 'its command', why = '' } = fact.fields
  return `${command} could not be executed: ${why.toLowerCase()}`
}

/** Only ARC's record shows that the API server rejected the pod as invalid. A quota has its own cause. */
function refusalRecord({ ephemeralRunner, recordFact, ran, working }: Dossier): Fact | null {
  if (ran.length + working.had.length > 0) return null
  const isRefused = ephemeralRunner?.phase === 'Failed' && ephemeralRunner.reason === 'InvalidPod'
  return isRefused && !/quota/i.test(ephemeralRunner.message ?? '') ? recordFact : null
}
