import { WEIGHT, limitedWhile, speaksAgainst, speaksFor } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { isMicroVm } from '#/core/why/ending.ts'
import { limitedByWork, refutedByOtherEnds, refutedByStop } from '#/core/why/grounds.ts'
import { theNode, thePod, toldBy, whileWorking } from '#/core/why/wording.ts'

const SIGNS = [
  'guest-agent-lost',
  'sandbox-stopped-unexpectedly',
  'vmm-terminated',
  'wait-for-process-failed',
  'kvm-fault',
] as const

export const vmTeardown: Cause = {
  id: 'vm-teardown',
  kind: 'death',
  meaning: 'the microVM or its shim ended on the host',
  toldApart:
    'The shim lost the agent or the hypervisor, and every container of the pod exits with 255 (older shims: 0). If the kernel killed the VM for memory, it is oom-node.',
  settledBy: ['journal', 'kubernetes/pods'],
  weigh: (d) => {
    const own = d.told(...SIGNS)
    const near = isMicroVm(d) ? d.ofNode(...SIGNS) : []
    const lost = d.ending.facts.filter(({ told }) => told['code'] === String(EXIT_CODES.lost))
    return [
      ...speaksFor(0.9, own),
      ...speaksFor(0.6, near),
      ...speaksFor(WEIGHT.medium, own.length + near.length > 0 ? lost : []),
      ...speaksFor(0.4, isMicroVm(d) ? lost : []),
      ...speaksAgainst(d.memory.vm),
      ...refutedByStop(d),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedWhile(own.length + near.length === 0, 'no line of the shim or the hypervisor was seen', {
        missing: ['journal'],
      }),
    ]
  },
  sentence: (d) =>
    `The microVM of ${thePod(d)} ended on ${theNode(d)}${whileWorking(d)}${toldBy(d, 'vmm-terminated', 'signal') === null ? '' : ` by signal ${toldBy(d, 'vmm-terminated', 'signal')}`}.`,
  next: (d) => [
    toldBy(d, 'vmm-terminated', 'sender') === null
      ? `Read what the hypervisor and the shim logged before in the journal of ${theNode(d)}. A starved host makes the agent miss its pings.`
      : `The hypervisor was ended by ${toldBy(d, 'vmm-terminated', 'sender')}: find out why.`,
  ],
}
