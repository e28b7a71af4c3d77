import type { PodFacts } from './pod-facts.ts'

/** Its processes are behind a kernel of their own: a microVM, or gVisor. The node sees only what runs the sandbox. */
export function isSandboxed({ runtimeClass }: Pick<PodFacts, 'runtimeClass'>): boolean {
  return /kata|qemu|firecracker|cloud-hypervisor|microvm|gvisor|runsc/i.test(runtimeClass ?? '')
}
