import type { Signature } from '#/core/evidence/signature.ts'

export const trap: Signature = {
  id: 'trap',
  says: 'A process crashed on a CPU trap.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /traps: (?<victim>\S+)\[(?<pid>\d+)\] (?:trap )?(?<trap>invalid opcode|general protection fault|divide error|int3|stack segment)/,
      literals: ['traps: '],
      strength: 'decisive',
      examples: {
        matches: ['traps: node[4411] trap invalid opcode ip:7f33 sp:7ffd error:0 in node[400000+1000]'],
        rejects: [
          'Runner.Listener[2492]: segfault at 0 ip 000000000040122e sp 00007ffdd7084a30 error 6 in Runner.Listener[122e,401000+1000] likely on CPU 1 (core 1, socket 0)',
        ],
      },
    },
  ],
}
