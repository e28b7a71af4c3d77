import { DatabaseError } from 'pg'
import { StoreUnavailable } from '#/ports/store/store-unavailable.ts'

/**
 * `unavailable`: the server cannot be reached or cannot work; whether the last write happened is unknown.
 * `conflict`: the server undid the transaction in favour of another one; it can be run again.
 * `other`: a fault of ours.
 */
export type PoolFault = 'unavailable' | 'conflict' | 'other'

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])

/** OpenSSL's names for a certificate or a handshake that does not do. */
const TLS_CODES = /^(?:ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|EPROTO)/u

/** The driver gives its own faults no code. */
const DRIVER_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query read timeout|Cannot use a pool after calling end|The server does not support SSL|SASL: )/u

/** Serialization failure, deadlock, and a lock that the server's own time limit did not let us wait for. */
const CONFLICT_STATES = new Set(['40001', '40P01', '55P03'])
/**
 * Cancelled by its time limit or an administrator; the session, the server or the database is going away; the server
 * takes no writes, as a standby does after a failover.
 */
const UNAVAILABLE_STATES = new Set([
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
  '25006',
  '25P03',
  '25P04',
  '3D000',
])
/** Connection, authorization, out of resources, system error. */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '53', '58'])

export function classifyFault(error: unknown): PoolFault {
  if (error instanceof StoreUnavailable) return 'unavailable'
  if (error instanceof DatabaseError) return classifyState(error.code ?? '')
  if (error instanceof AggregateError) return error.errors.every(isUnavailable) ? 'unavailable' : 'other'
  if (!(error instanceof Error)) return 'other'
  if (DRIVER_MESSAGES.test(error.message)) return 'unavailable'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return SOCKET_CODES.has(code) || TLS_CODES.test(code) ? 'unavailable' : 'other'
}

function classifyState(state: string): PoolFault {
  if (CONFLICT_STATES.has(state)) return 'conflict'
  return UNAVAILABLE_STATES.has(state) || UNAVAILABLE_CLASSES.has(state.slice(0, 2)) ? 'unavailable' : 'other'
}

function isUnavailable(error: unknown): boolean {
  return classifyFault(error) === 'unavailable'
}

/** Runs one database operation; connection and server faults become `StoreUnavailable`. */
export async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof StoreUnavailable || classifyFault(cause) === 'other') throw cause
    throw new StoreUnavailable(`PostgreSQL cannot be used now: ${errorMessage(cause)}`, { cause })
  }
}

function errorMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join('; ')
  return error instanceof Error ? error.message : String(error)
}
