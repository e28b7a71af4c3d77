import { isJsonObject, parseJson } from '#/core/evidence/bundle-json.ts'
import type { LokiLine } from './query-range.ts'

/** Numbers of syslog. */
const PRIORITIES: Readonly<Record<string, string>> = {
  emerg: '0',
  alert: '1',
  crit: '2',
  err: '3',
  error: '3',
  warning: '4',
  warn: '4',
  notice: '5',
  info: '6',
  debug: '7',
}

/** One line of `journalctl -o json`, from a shipper that sends whole entries as JSON, or the message alone with labels. */
export function toJournalLine({ ns, line, labels }: LokiLine, node: string): string {
  const time = { __REALTIME_TIMESTAMP: String(ns / 1000n) }
  const whole = parseEntry(line)
  if (whole !== null) return JSON.stringify({ ...time, _HOSTNAME: node, ...whole })
  const unit = labels['unit'] ?? labels['systemd_unit'] ?? ''
  // The kernel has no unit.
  const transport = labels['transport'] ?? (unit === '' ? 'kernel' : 'journal')
  const priority = PRIORITIES[labels['priority_keyword'] ?? labels['priority'] ?? '']
  return JSON.stringify({
    ...time,
    _HOSTNAME: node,
    _TRANSPORT: transport,
    ...(unit === '' ? {} : { _SYSTEMD_UNIT: unit }),
    SYSLOG_IDENTIFIER: labels['syslog_identifier'] ?? toIdentifier(unit, transport),
    ...(priority === undefined ? {} : { PRIORITY: priority }),
    MESSAGE: line,
  })
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith('{') || !line.includes('"MESSAGE"')) return null
  const reading = parseJson(line)
  return reading.kind === 'parsed' && isJsonObject(reading.value) ? reading.value : null
}

/** `kubelet.service` is `kubelet`; what systemd says about itself is in `init.scope`. */
function toIdentifier(unit: string, transport: string): string {
  if (transport === 'kernel') return 'kernel'
  return unit === 'init.scope' ? 'systemd' : unit.replace(/\.\w+$/, '')
}
