import type { Limiter } from './limiter.ts'
import { count, someOf } from './wording.ts'

/** Runners that end at their start hold replicas and take no job; more of them would end the same way. */
export const crashLoop: Limiter = ({ runners, lane }) => {
  const looping = runners.filter(({ isCrashLooping }) => isCrashLooping)
  const [first] = looping
  if (first === undefined) return null
  const { runner, crashes } = first
  return {
    class: 'runner-crash-loop',
    admits: runners.filter(({ hasJob, isIdle }) => hasJob || isIdle).length,
    evidence: [
      `${count(looping.length, 'runner')} of lane ${lane.label} ${looping.length === 1 ? 'ends' : 'end'} at the start: ${someOf(looping.map((one) => one.runner.name))}`,
      `${runner.name} is not ready and has ${count(crashes.own, 'failure')} on record; ${count(crashes.others, 'further pod')} of its set lived under a minute, the controller gave up ${crashes.givenUp}`,
    ],
    hint: `kubectl logs -n ${runner.namespace} ${runner.name} -c runner --previous, or signalbox why ${runner.namespace}/${runner.name}: make the runner image or its entry point right; nothing about capacity helps`,
    fields: { runners: looping.length },
  }
}
