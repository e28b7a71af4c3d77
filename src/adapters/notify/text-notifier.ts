import { plainMessage } from '#/core/notify/plain-message.ts'
import type { Notifier } from '#/ports/notifier.ts'

/** Writes each notice, without a line break at its end. */
export function textNotifier(write: (text: string) => void): Notifier {
  return {
    send: async (notice) => {
      write(plainMessage(notice))
      return { kind: 'sent' }
    },
  }
}
