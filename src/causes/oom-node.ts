import { limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { limitedByWork, refutedByOtherEnds, refutedByStop, sigkills } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, upper, whileWorking } from '#/core/why/wording.ts'

export const oomNode: Cause = {
  id: 'oom-node',
  kind: 'death',
  meaning: "the host ran out of memory, or the host killed the microVM's process for memory",
  distinguishedBy:
    "The kernel's OOM line names no limit of this pod: the whole machine was short, or the victim is the virtual machine itself. Exit code 137 with reason Error, without any stop.",
  settledBy: ['journal', 'kubernetes/events'],
  weigh: (d) => {
    const ofHost = d.memory.kills.filter(({ scope }) => scope === 'host').map(({ fact }) => fact)
    const sure = [...ofHost, ...d.memory.vm, ...d.memory.host.filter(({ about }) => about === 'subject')]
    const violent = [
      ...sigkills(d),
      ...d.ending.facts.filter(({ fields }) => fields['code'] === String(EXIT_CODES.lost)),
    ]
    return [
      ...supports(0.93, sure),
      ...supports(
        0.65,
        d.memory.host.filter(({ fields }) => (fields['victim'] ?? '').startsWith('Runner.')),
      ),
      ...supports(
        0.6,
        d.memory.host.filter(({ about }) => about === 'node'),
      ),
      ...supports(0.3, sure.length + d.memory.host.length > 0 ? violent : []),
      ...contradicts(d.memory.kills.filter(({ scope }) => scope === 'limit').map(({ fact }) => fact)),
      ...refutedByStop(d),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedWhile(sure.length === 0 && violent.length === 0, 'nothing shows that the runner was the victim', {
        missing: ['kubernetes/pods', 'journal'],
      }),
    ]
  },
  sentence: (d) =>
    d.memory.vm.length > 0
      ? `The host killed the microVM of ${thePod(d)} for memory${whileWorking(d)}.`
      : `${upper(theNode(d))} ran out of memory and the kernel killed ${thePod(d)}${whileWorking(d)}.`,
  next: (d) =>
    d.memory.vm.length > 0
      ? [
          'Guest, VMM and file server together use more than the limit of the pod: raise the RuntimeClass overhead, or give the guest less.',
        ]
      : [
          `Set memory requests equal to limits on the pods of ${theNode(d)}, and reserve memory for the system (systemReserved, evictionHard): the node is overcommitted.`,
        ],
}
