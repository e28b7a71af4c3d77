import type { Limiter } from './limiter.ts'
import { count, listSome } from './format.ts'

/** Runners that crash at startup count as replicas and take no job; more of them would crash too. */
export const crashLoop: Limiter = ({ runners, lane }) => {
  const looping = runners.filter(({ isCrashLooping }) => isCrashLooping)
  const [first] = looping
  if (first === undefined) return null
  const { runner, crashes } = first
  return {
    class: 'runner-crash-loop',
    admits: runners.filter(({ hasJob, isIdle }) => hasJob || isIdle).length,
    evidence: [
      `${count(looping.length, 'runner')} of lane ${lane.label} ${looping.length === 1 ? 'crashes' : 'crash'} at startup: ${listSome(looping.map((one) => one.runner.name))}`,
      `${runner.name} is not ready and has ${count(crashes.own, 'failure')} on record; ${count(crashes.others, 'other pod')} of its set lived under a minute, the controller gave up ${crashes.givenUp}`,
    ],
    hint: `kubectl logs -n ${runner.namespace} ${runner.name} -c runner --previous, or signalbox why ${runner.namespace}/${runner.name}: fix the runner image or its entry point; more capacity does not help`,
    fields: { runners: looping.length },
  }
}
