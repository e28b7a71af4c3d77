import { at, numberAt, textAt } from '#/core/basics/fields.ts'

/** An ordinary event has 1 to 2 KiB without its objects. */
const MOST_CHARACTERS = 16 * 1024
const MOST_IN_A_FIELD = 1024

/**
 * An audit event as text. Whoever sends a request chooses parts of its event: of one that is larger or deeper than events
 * are, only what is read from it is kept.
 */
export function printEvent(event: unknown): string {
  try {
    const whole = JSON.stringify(event)
    if (whole.length <= MOST_CHARACTERS) return whole
  } catch {
    // Too deep to be printed.
  }
  return JSON.stringify(onlyFacts(event))
}

const TEXTS = ['kind', 'apiVersion', 'level', 'auditID', 'stage', 'requestURI', 'verb', 'userAgent'] as const
const TIMES = ['requestReceivedTimestamp', 'stageTimestamp'] as const
const NAMES = ['resource', 'subresource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion'] as const

function onlyFacts(event: unknown): object {
  const text = (...path: readonly string[]): string | undefined => textAt(event, ...path)?.slice(0, MOST_IN_A_FIELD)
  const texts = (keys: readonly string[], ...path: readonly string[]): object =>
    Object.fromEntries(keys.map((key) => [key, text(...path, key)]))
  const asked = {
    gracePeriodSeconds: numberAt(event, 'requestObject', 'gracePeriodSeconds') ?? undefined,
    preconditions: { uid: text('requestObject', 'preconditions', 'uid') },
  }
  return {
    ...texts([...TEXTS, ...TIMES]),
    user: { username: text('user', 'username') },
    impersonatedUser: at(event, 'impersonatedUser') === undefined ? undefined : texts(['username'], 'impersonatedUser'),
    objectRef: texts(NAMES, 'objectRef'),
    responseStatus: {
      code: numberAt(event, 'responseStatus', 'code') ?? undefined,
      ...texts(['status', 'message'], 'responseStatus'),
    },
    requestObject: at(event, 'requestObject') === undefined ? undefined : asked,
  }
}
