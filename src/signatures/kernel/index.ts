import type { Signature } from '#/core/evidence/signature.ts'
import { conntrackFull } from './conntrack-full.ts'
import { fileTableFull } from './file-table-full.ts'
import { filesystemError } from './filesystem-error.ts'
import { forkRejected } from './fork-rejected.ts'
import { globalOomKill } from './global-oom-kill.ts'
import { guestMemoryShort } from './guest-memory-short.ts'
import { guestOutOfMemory } from './guest-out-of-memory.ts'
import { guestPanic } from './guest-panic.ts'
import { hardwareError } from './hardware-error.ts'
import { ioError } from './io-error.ts'
import { kernelOops } from './kernel-oops.ts'
import { kernelPanic } from './kernel-panic.ts'
import { kvmFault } from './kvm-fault.ts'
import { memcgOomKill } from './memcg-oom-kill.ts'
import { memoryCorruption } from './memory-corruption.ts'
import { netdeviceStuck } from './netdevice-stuck.ts'
import { networkTablesFull } from './network-tables-full.ts'
import { oomGroupKill } from './oom-group-kill.ts'
import { oomInvoked } from './oom-invoked.ts'
import { oomKill } from './oom-kill.ts'
import { oomLimit } from './oom-limit.ts'
import { oomReaped } from './oom-reaped.ts'
import { rcuStall } from './rcu-stall.ts'
import { segfault } from './segfault.ts'
import { softLockup } from './soft-lockup.ts'
import { taskHung } from './task-hung.ts'
import { trap } from './trap.ts'

export const KERNEL_SIGNATURES: readonly Signature[] = [
  oomKill,
  memcgOomKill,
  globalOomKill,
  oomGroupKill,
  oomInvoked,
  oomReaped,
  oomLimit,
  kernelPanic,
  segfault,
  trap,
  taskHung,
  softLockup,
  rcuStall,
  hardwareError,
  memoryCorruption,
  filesystemError,
  ioError,
  fileTableFull,
  conntrackFull,
  forkRejected,
  networkTablesFull,
  netdeviceStuck,
  kernelOops,
  kvmFault,
  guestOutOfMemory,
  guestPanic,
  guestMemoryShort,
]
