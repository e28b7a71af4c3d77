import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import { isMicroVm } from '#/core/why/ending.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { brokenDisk, limitedByWork, refutedByOtherEnds, refutedByStop } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, whileWorking } from '#/core/why/wording.ts'

function hasDiskFault(d: Dossier): boolean {
  return d.nodeState.storage.length + brokenDisk(d).length > 0
}

export const runtimeFault: Cause = {
  id: 'runtime-fault',
  kind: 'death',
  meaning: 'containerd or the kubelet failed and took the pod with it',
  distinguishedBy:
    'The machine stayed up (same boot), the runtime did not. Exit code 255 with reason Error: the shim died. 255 with reason Unknown: containerd restarted. "shim disconnected" alone appears at every end.',
  settledBy: ['journal', 'kubernetes/pods'],
  weigh: (d) => {
    const shim = d.nodeState.runtime.filter(({ is }) => is === 'shim-lost')
    const daemon = d.nodeState.runtime.filter(({ is }) => is !== 'shim-lost')
    const storage = [...new Set([...d.nodeState.storage, ...brokenDisk(d)])]
    const lost = d.ending.facts.filter(({ fields }) => fields['code'] === String(EXIT_CODES.lost))
    return [
      ...supports(0.9, shim),
      ...supports(0.75, lost.length > 0 ? daemon : []),
      ...supports(0.85, storage),
      ...supports(0.6, storage.length > 0 ? d.subjectClues('disk-refused') : []),
      ...supports(WEIGHT.medium, lost),
      ...supports(
        WEIGHT.medium,
        lost.some(({ fields }) => fields['reason'] === 'Unknown') ? d.nodeState.sameBoot : null,
      ),
      ...supports(0.3, lost.length > 0 ? d.nodeState.peers : null),
      ...contradicts(d.nodeState.gone),
      ...contradicts(d.memory.vm),
      ...contradicts(d.subjectClues('guest-agent-lost', 'sandbox-stopped-unexpectedly', 'vmm-terminated')),
      ...refutedByStop(d),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedWhile(
        shim.length + daemon.length + storage.length === 0 && d.nodeState.sameBoot === null,
        'no log line of the runtime was seen',
        { missing: ['journal'] },
      ),
      ...limitedWhile(
        isMicroVm(d) && shim.length === 0 && storage.length === 0,
        'the virtual machine may have failed instead',
        { missing: ['journal'] },
      ),
      ...limitedWhile(
        d.nodeState.silent.length > 0 && d.nodeState.sameBoot === null,
        'the node fell silent, and no source shows whether it stayed up',
        { missing: ['journal'] },
      ),
    ]
  },
  sentence: (d) =>
    hasDiskFault(d)
      ? `The disk of ${theNode(d)} failed and took ${thePod(d)} with it${whileWorking(d)}.`
      : `The container runtime of ${theNode(d)} failed and took ${thePod(d)} with it${whileWorking(d)}.`,
  next: (d) =>
    hasDiskFault(d)
      ? [`Drain ${theNode(d)} and replace its disk: the kernel reports device errors.`]
      : [
          `Find why containerd or its shim ended in the journal of ${theNode(d)} (OOM score, upgrade, crash). Cordon the node if it repeats. Rerun the job.`,
        ],
}
