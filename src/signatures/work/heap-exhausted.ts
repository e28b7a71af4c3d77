import type { Signature } from '#/core/evidence/signature.ts'

export const heapExhausted: Signature = {
  id: 'heap-exhausted',
  says: 'A build tool reached its own memory limit.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /JavaScript heap out of memory|java\.lang\.OutOfMemoryError|virtual memory exhausted|std::bad_alloc|LLVM ERROR: out of memory/,
      literals: [
        'JavaScript heap out of memory',
        'java.lang.OutOfMemoryError',
        'LLVM ERROR: out of memory',
        'virtual memory exhausted',
        'std::bad_alloc',
      ],
      strength: 'decisive',
      examples: {
        matches: ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
        rejects: ['ENOSPC: no space left on device, write'],
      },
    },
  ],
}
