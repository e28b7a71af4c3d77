import type { Stream } from './signature.ts'

/** A line as its author wrote it, without what the tools on the way put before it. */
export type LogLine = {
  readonly text: string
  /** Milliseconds since the epoch, where something on the way told the time. */
  readonly at: number | null
  /** Who wrote it, where the line says so. */
  readonly stream: Stream | null
}

const BYTE_ORDER_MARK = '\uFEFF'

/** `kubectl logs --timestamps` and GitHub's job logs; the CRI's files add the stream and whether the line is whole. */
const TIMESTAMP = /^(?<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)) (?:std(?:out|err) [FP] )?/

/** What journalctl -o short-iso puts between the time and the message. */
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
  const stream = streamOf(journal?.groups?.['identifier'])
  if (journal === null || stream === null) return withoutTrace(rest, at)
  return { text: rest.slice(journal[0].length), at, stream }
}

/** By hand: a pattern for the end of a line tries from every place, which a line full of them makes quadratic. */
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

/** Which stream the lines of a program belong to; null for a program that no signature knows. */
export function streamOf(identifier: string | null | undefined): Stream | null {
  if (identifier === null || identifier === undefined) return null
  if (identifier === 'kernel' || identifier === 'kubelet') return identifier
  if (/^(?:containerd|dockerd|crio)$/.test(identifier)) return 'containerd'
  if (/^(?:kata|qemu|cloud-hypervisor|firecracker|containerd-shim-kata)/.test(identifier)) return 'vmm'
  return identifier.startsWith('systemd') ? 'systemd' : null
}

function parseTime(text: string): number | null {
  const at = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  return Number.isNaN(at) ? null : at
}
