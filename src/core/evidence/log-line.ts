import type { Stream } from './signature.ts'

/** A line as its program wrote it, without the prefixes that other tools add. */
export type LogLine = {
  readonly text: string
  /** Milliseconds since the epoch, if a prefix has the time. */
  readonly at: number | null
  /** The program that wrote it, if the line names one. */
  readonly stream: Stream | null
}

const BYTE_ORDER_MARK = '\uFEFF'

/** `kubectl logs --timestamps` and GitHub's job logs; CRI files add the stream and a partial-line flag. */
const TIMESTAMP = /^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)) (?:std(?:out|err) [FP] )?/

/** What journalctl -o short-iso prints between the time and the message. */
const JOURNAL = /^\S+ (?<identifier>[\w.@-]+)(?:\[\d+\])?: /

/** The runner's own trace: `[RUNNER 2026-06-06 21:35:06Z INFO JobDispatcher] …`. */
const TRACE = /^\[(?:\w+ )?(?<day>\d{4}-\d\d-\d\d) (?<time>\d\d:\d\d:\d\dZ) \w+ +[^\]]+\] /

export function readLogLine(raw: string): LogLine {
  const line = withoutReturns(raw.replace(BYTE_ORDER_MARK, ''))
  const stamped = TIMESTAMP.exec(line)
  if (stamped === null) return withoutTrace(line, null)
  const at = parseTime(stamped.groups?.['time'] ?? '')
  const rest = line.slice(stamped[0].length)
  const journal = JOURNAL.exec(rest)
  const stream = toStream(journal?.groups?.['identifier'])
  if (journal === null || stream === null) return withoutTrace(rest, at)
  return { text: rest.slice(journal[0].length), at, stream }
}

/** Without a regex: a pattern at the end of a line starts at every position, which can be quadratic. */
function withoutReturns(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === '\r') end -= 1
  return line.slice(0, end)
}

function withoutTrace(text: string, at: number | null): LogLine {
  const trace = TRACE.exec(text)
  if (trace === null) return { text, at, stream: null }
  const traced = parseTime(`${trace.groups?.['day']}T${trace.groups?.['time']}`)
  return { text: text.slice(trace[0].length), at: at ?? traced, stream: 'runner-log' }
}

/** Distributions that run the kubelet inside their own program. */
const KUBELETS =
  /^(?:k3s|k3s-agent|rke2|rke2-agent|rke2-server|k0s|k0sworker|kubelite|microk8s\.daemon-kubelite|hyperkube)$/

/** Hypervisors, their shims, and what starts and removes virtual machines. */
const VMMS =
  /^(?:kata|qemu|virtqemud|libvirtd|cloud-hypervisor|firecracker|jailer|dragonball|containerd-shim-kata|com\.apple\.Virtualization|orchard)|tart(?:-|$)/

/** The stream of a program's lines; null if no signature knows the program. */
export function toStream(identifier: string | null | undefined): Stream | null {
  if (identifier === null || identifier === undefined) return null
  if (identifier === 'kernel' || identifier === 'kubelet') return identifier
  if (KUBELETS.test(identifier)) return 'kubelet'
  if (/^(?:containerd|dockerd|crio|cri-o|cri-dockerd)$/.test(identifier)) return 'containerd'
  if (VMMS.test(identifier)) return 'vmm'
  return identifier.startsWith('systemd') ? 'systemd' : null
}

function parseTime(text: string): number | null {
  const at = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(at) ? null : at
}
