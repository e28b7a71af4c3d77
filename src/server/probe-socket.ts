import { lstat } from 'node:fs/promises'
import { connect } from 'node:net'

/**
 * What is at the path of a Unix socket. `left-behind`: a killed process left the file. `denied`: it belongs to another
 * user. `other`: a file that is no socket.
 */
export type SocketState = 'answers' | 'absent' | 'left-behind' | 'denied' | 'other'

export async function probeSocket(path: string): Promise<SocketState> {
  const found = await lstat(path).catch(() => null)
  if (found !== null && !found.isSocket()) return 'other'
  return new Promise((resolve) => {
    const socket = connect(path)
    const settle = (state: SocketState): void => {
      socket.destroy()
      resolve(state)
    }
    socket.once('connect', () => settle('answers'))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => settle(stateOf(code)))
  })
}

function stateOf(code: string | undefined): SocketState {
  if (code === 'ENOENT') return 'absent'
  return code === 'ECONNREFUSED' ? 'left-behind' : 'denied'
}
