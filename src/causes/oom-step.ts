import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { anyEviction, deadline, hasSucceeded, wasOomKilled } from '#/core/why/weighing/shared-facts.ts'
import { memoryLimit, theJob, thePod } from '#/core/why/wording.ts'

export const oomStep: Cause = {
  id: 'oom-step',
  kind: 'death',
  meaning: 'a process of the job was killed for memory; the runner itself lived on',
  distinguishedBy:
    'The victim is a process of the job, and the runner reported the end of the job afterwards. The pod may show Succeeded, exit code 0 and OOMKilled.',
  settledBy: ['journal', 'kubernetes/pods', 'cgroup', 'github/logs'],
  weigh: (d) => {
    const killed = String(EXIT_CODES.killed)
    const kills = d.memory.kills.filter(({ isRunner, scope }) => !isRunner && scope === 'limit').map(({ fact }) => fact)
    const ofRunner = d.memory.kills.filter(({ isRunner }) => isRunner).map(({ fact }) => fact)
    const marked = wasOomKilled(d).filter(({ fields }) => fields['code'] !== killed)
    // A pod-level limit marks every container of the pod: with the victim elsewhere, the mark proves nothing.
    const taskOom = d.memory.elsewhere.length === 0 ? d.memory.taskOom : []
    const evidence = [...kills, ...marked, ...d.memory.counted, ...taskOom]
    const livedOn = [d.working.result, d.working.github.failedStep, ...d.working.left].filter((fact) => fact !== null)
    const died = wasOomKilled(d).filter(({ fields }) => fields['code'] === killed && d.stopping.stops.length === 0)
    return [
      ...supports(0.88, kills),
      ...supports(0.6, marked),
      ...supports(0.6, d.memory.counted),
      ...supports(
        WEIGHT.medium,
        d.subjectClues('step-exited').filter(({ fields }) => fields['code'] === killed),
      ),
      ...supports(0.4, d.subjectClues('step-killed')),
      ...supports(0.3, taskOom),
      ...supports(0.3, livedOn),
      ...contradicts(kills.length === 0 ? ofRunner : []),
      ...contradicts(died),
      ...contradicts(hasSucceeded(d)),
      ...contradicts(d.subjectClues('lost-communication')),
      ...contradicts([...anyEviction(d), ...deadline(d)]),
      ...limitedWhile(evidence.length === 0, 'nothing shows that memory ran out', {
        missing: ['journal', 'kubernetes/pods', 'cgroup'],
      }),
      ...limitedWhile(livedOn.length === 0, 'nothing shows that the runner lived on', {
        missing: ['logs', 'github/jobs'],
      }),
    ]
  },
  sentence: (d) => {
    const victim = d.memory.kills.find(({ isRunner }) => !isRunner)?.victim
    return `The kernel killed ${victim === undefined ? 'a process' : victim} of ${theJob(d)} at the memory limit${memoryLimit(d)} of ${thePod(d)}; the runner itself lived on.`
  },
  next: (d) => [
    `Raise the memory limit${memoryLimit(d)} of the lane, or make the step use less: fewer workers, a smaller heap.`,
    'The step fails with 137 and no message: let the owner of the workflow know that memory was the reason.',
  ],
}
