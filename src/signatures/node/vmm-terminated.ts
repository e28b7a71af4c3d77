import type { Signature } from '#/core/evidence/signature.ts'

export const vmmTerminated: Signature = {
  id: 'vmm-terminated',
  says: 'A signal or a fault of its own ended the virtual machine monitor.',
  patterns: [
    {
      streams: ['vmm'],
      regex:
        /qemu(?:-system-\S+|-kvm)?: terminating on signal (?<signal>\d+) from pid (?<pid>\d+)(?: \((?<sender>[^)]*)\))?/,
      literals: [': terminating on signal '],
      strength: 'decisive',
      examples: {
        matches: ['qemu-system-x86_64: terminating on signal 15 from pid 1100 (containerd-shim-kata-v2)'],
        rejects: ['unregister_netdevice: waiting for eth0 to become free. Usage count = 2'],
      },
    },
    {
      streams: ['vmm'],
      regex: /thread '[^']{1,64}' panicked at |\bvmm exited with (?:status|code) [1-9]/i,
      literals: ["' panicked at ", 'vmm exited with '],
      strength: 'strong',
      caution: 'The line of the hypervisor names no sandbox: the shim that lost its agent at that moment does.',
      examples: {
        matches: [
          "thread 'vcpu2' panicked at 'called `Result::unwrap()` on an `Err` value: VcpuRun(Bad address (os error 14))', vmm/src/cpu.rs:1012:44",
          'Error: vmm exited with status 1',
        ],
        rejects: ['vmm exited with status 0'],
      },
    },
  ],
}
