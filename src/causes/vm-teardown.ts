import { WEIGHT, limitedWhile, contradicts, supports } from '#/core/why/cause.ts'
import type { Cause } from '#/core/why/cause.ts'
import type { Dossier } from '#/core/why/dossier.ts'
import type { Fact } from '#/core/why/fact.ts'
import { EXIT_CODES } from '#/core/why/exit-code.ts'
import { isMicroVm } from '#/core/why/ending.ts'
import { limitedByWork, refutedByOtherEnds, refutedByStop } from '#/core/why/weighing/shared-facts.ts'
import { theNode, thePod, clueField, whileWorking } from '#/core/why/wording.ts'

const SIGNS = [
  'guest-agent-lost',
  'sandbox-stopped-unexpectedly',
  'vmm-terminated',
  'vm-removed',
  'wait-for-process-failed',
  'kvm-fault',
  'guest-panic',
] as const

const GUEST_OOM_MS = 60_000

/** A guest that has just run out of memory loses its agent or powers off: the teardown is the effect. */
function guestOomBefore(d: Dossier, signs: readonly Fact[]): readonly Fact[] {
  const first = Math.min(...signs.flatMap(({ at }) => at ?? []))
  return d
    .subjectClues('guest-out-of-memory')
    .filter(({ at }) => at !== null && at <= first && first - at <= GUEST_OOM_MS)
}

export const vmTeardown: Cause = {
  id: 'vm-teardown',
  kind: 'death',
  meaning: 'the microVM or its shim ended on the host',
  distinguishedBy:
    'The shim lost the agent or the hypervisor, and every container of the pod exits with 255 (older shims: 0). If the kernel killed the VM for memory, it is oom-node.',
  settledBy: ['journal', 'kubernetes/pods'],
  weigh: (d) => {
    const own = d.subjectClues(...SIGNS)
    const near = isMicroVm(d) ? d.nodeClues(...SIGNS) : []
    const lost = d.ending.facts.filter(({ fields }) => fields['code'] === String(EXIT_CODES.lost))
    return [
      ...supports(0.9, own),
      ...supports(0.6, near),
      ...supports(WEIGHT.medium, own.length + near.length > 0 ? lost : []),
      ...supports(0.4, isMicroVm(d) ? lost : []),
      ...contradicts(d.memory.vm),
      ...contradicts(guestOomBefore(d, [...own, ...near])),
      ...refutedByStop(d),
      ...refutedByOtherEnds(d),
      ...limitedByWork(d),
      ...limitedWhile(own.length + near.length === 0, 'no line of the shim or the hypervisor was seen', {
        missing: ['journal'],
      }),
    ]
  },
  sentence: (d) =>
    `The microVM of ${thePod(d)} ended on ${theNode(d)}${whileWorking(d)}${clueField(d, 'vmm-terminated', 'signal') === null ? '' : ` by signal ${clueField(d, 'vmm-terminated', 'signal')}`}.`,
  next: (d) => [
    ...(d.subjectClues('vm-removed').length > 0
      ? [`Something on ${theNode(d)} removed the VM while it worked: let clean-up jobs skip virtual machines that run.`]
      : []),
    clueField(d, 'vmm-terminated', 'sender') === null
      ? `Read what the hypervisor and the shim logged before in the journal of ${theNode(d)}. A starved host makes the agent miss its pings.`
      : `The hypervisor was ended by ${clueField(d, 'vmm-terminated', 'sender')}: find out why.`,
  ],
}
