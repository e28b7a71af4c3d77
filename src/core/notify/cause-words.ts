/** Names that read badly with their hyphens taken out. */
const WORDS: Readonly<Record<string, string>> = {
  'api-rate-limited': 'API rate limit',
  'completion-handshake-lost': 'done, but not reported to GitHub',
  'drain-without-trap': 'drained, and the runner did not listen',
  'evicted-node-pressure': 'evicted: the node was short of something',
  'evicted-own-limit': 'evicted: over its own limit',
  'fd-exhausted': 'out of file descriptors',
  'host-starvation': 'the host was starved',
  'image-pull': 'image not pulled',
  'oom-container': 'out of memory (container limit)',
  'oom-guest': 'out of memory (in the VM)',
  'oom-node': 'out of memory (node)',
  'oom-step': 'out of memory (a step)',
  'pids-exhausted': 'out of process ids',
  'runtime-fault': 'container runtime fault',
  'tls-trust': 'certificate not trusted',
  'vm-teardown': 'VM torn down',
  'workspace-unclean': 'unclean workspace',
  unknown: 'cause not known',
}

/** A cause as a headline says it; one of the user's own rules reads as it is named. */
export function causeInWords(cause: string): string {
  return WORDS[cause] ?? cause.replaceAll('-', ' ')
}
