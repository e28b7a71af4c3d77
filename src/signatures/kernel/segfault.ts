import type { Signature } from '#/core/evidence/signature.ts'

export const segfault: Signature = {
  id: 'segfault',
  says: 'A process crashed on a bad address.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /(?<victim>\S{1,256})\[(?<pid>\d+)\]: segfault at (?<address>[0-9a-f]+) ip [0-9a-f]+ sp [0-9a-f]+ error (?<error>\d+)/,
      literals: [']: segfault at '],
      strength: 'decisive',
      examples: {
        matches: [
          'Runner.Listener[2492]: segfault at 0 ip 000000000040122e sp 00007ffdd7084a30 error 6 in Runner.Listener[122e,401000+1000] likely on CPU 1 (core 1, socket 0)',
        ],
        rejects: ['traps: node[4411] trap invalid opcode ip:7f33 sp:7ffd error:0 in node[400000+1000]'],
      },
    },
  ],
}
