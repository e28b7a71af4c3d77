import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROBE_SCRIPT } from './probe-script.ts'
import { readProbeLog } from './read-probe-log.ts'
import type { ProbeResults } from './read-probe-log.ts'

let folder: string
let server: Server
let open: number
/** Never given out as a free port; one that was free a moment ago may be in use now. */
const closed = 1

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-probe-'))
  server = createServer((socket) => {
    // A client that only checks the port disconnects without sending anything.
    socket.on('error', () => {})
    // Unread data would keep the connection open.
    socket.resume()
    socket.end('HTTP/1.0 200 OK\r\n\r\n')
  })
  open = await listening(server)
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true })
})

function listening(on: Server): Promise<number> {
  return new Promise((resolve) => on.listen(0, '127.0.0.1', () => resolve((on.address() as AddressInfo).port)))
}

/** Runs it like a container: with only this environment. */
function run(env: Readonly<Record<string, string>>, PATH = '/usr/bin:/bin'): Promise<ProbeResults | null> {
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', ['-c', PROBE_SCRIPT], { env: { PATH, ...env }, timeout: 55_000 }, (error, stdout) => {
      if (error === null) resolve(readProbeLog(stdout))
      else reject(error)
    })
  })
}

/** A folder with the named programs only. */
async function onlyWith(programs: Readonly<Record<string, string>>): Promise<string> {
  const bin = await mkdtemp(join(folder, 'bin-'))
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return bin
}

describe('the script of a probe', () => {
  it('contains nothing that Kubernetes would expand', () => {
    expect(PROBE_SCRIPT).not.toMatch(/\$\(|\$\$/)
  })

  it('reports whether a port answers', async () => {
    const lines = await run({ SIGNALBOX_PROBE_TARGETS: `A,127.0.0.1,${open} B,127.0.0.1,${closed}` })
    const results = lines?.targets.map(({ from, port, result }) => `${from} ${port} ${result}`)
    expect(results?.[0]).toBe(`A ${open} reached`)
    expect(results?.[1]).toMatch(new RegExp(`^B ${closed} (?:refused|failed)$`))
  })

  it('parses an address that only the container knows, and never prints its password', async () => {
    const lines = await run({
      SIGNALBOX_PROBE_ADDRESSES: 'A B C D',
      A: `http://user:hunter2@127.0.0.1:${open}/path?x=1`,
      B: `127.0.0.1:${open}`,
      C: 'main',
      D: '',
    })
    expect(lines?.targets.map(({ from, host, port, result }) => [from, host, port, result])).toEqual([
      ['A', '127.0.0.1', open, 'reached'],
      ['B', '127.0.0.1', open, 'reached'],
    ])
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })

  it('never executes the content of a variable', async () => {
    const trap = join(folder, 'trap')
    const evil = `http://$(touch ${trap})\`touch ${trap}\`;touch ${trap}:1/`
    const lines = await run({
      SIGNALBOX_PROBE_VARIABLES: 'A',
      SIGNALBOX_PROBE_ADDRESSES: 'A',
      SIGNALBOX_PROBE_BUNDLES: 'A',
      A: evil,
    })
    expect(lines?.targets).toEqual([])
    await expect(symlink('x', trap)).resolves.toBeUndefined()
    await rm(trap)
  })

  it('reports which variables are set', async () => {
    const lines = await run({ SIGNALBOX_PROBE_VARIABLES: 'A B C', A: 'x', B: '' })
    expect(lines?.variables).toEqual([
      { name: 'A', isSet: true },
      { name: 'B', isSet: false },
      { name: 'C', isSet: false },
    ])
  })

  it('reports whether a bundle can be read and is one', async () => {
    const path = (name: string): string => join(folder, name)
    await writeFile(path('good.pem'), '# comment\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----')
    await writeFile(path('other.txt'), 'hello')
    await mkdir(path('folder'))
    const lines = await run({
      SIGNALBOX_PROBE_BUNDLES: 'A B C D E',
      A: path('good.pem'),
      B: path('other.txt'),
      C: path('none'),
      D: path('folder'),
    })
    expect(lines?.bundles.map(({ variable, result }) => `${variable} ${result}`)).toEqual([
      'A readable',
      'B not-pem',
      'C missing',
      'D unreadable',
    ])
  })

  it.each([
    ['no tool', {}, 'unknown'],
    ['a curl that connects', { curl: 'exit 52' }, 'reached'],
    ['a curl that finds no host', { curl: 'exit 6' }, 'unresolved'],
    [
      'a curl that is refused',
      { curl: 'echo "curl: (7) connect to a port 1 failed: Connection refused"; exit 7' },
      'refused',
    ],
    ['a curl that waits in vain', { curl: 'echo "curl: (28) Connection timed out after 5001 ms"; exit 28' }, 'timeout'],
    [
      'a curl that connects and gets no answer',
      { curl: 'echo "curl: (28) Operation timed out after 8001 ms with 0 bytes received"; exit 28' },
      'reached',
    ],
    [
      'a wget that is answered with an error',
      { wget: 'echo "wget: server returned error: HTTP/1.1 404 Not Found"; exit 1' },
      'reached',
    ],
    ['a wget that knows no such host', { wget: `echo "wget: bad address 'a'"; exit 1` }, 'unresolved'],
    ['a wget that crashes', { wget: 'exit 139' }, 'unknown'],
    ['a wget that crashes beside an nc that connects', { wget: 'exit 139', nc: 'exit 0' }, 'reached'],
    ['an nc without -z', { nc: '[ "$1" = -z ] && { echo "usage: nc"; exit 1; }; exit 0' }, 'reached'],
    [
      'an nc without -z that only waits',
      { nc: '[ "$1" = -z ] && { echo "usage: nc"; exit 1; }; echo "nc: timed out" >&2; exit 1' },
      'unknown',
    ],
    [
      'a bash that was built without it',
      { timeout: 'echo "bash: /dev/tcp/a/1: No such file or directory"; exit 1', bash: '', curl: 'exit 0' },
      'reached',
    ],
    ['a bash that waits in vain', { timeout: 'exit 124', bash: '' }, 'timeout'],
  ])('connects with what the image has: %s', async (_, programs, result) => {
    const lines = await run({ SIGNALBOX_PROBE_TARGETS: 'A,a,1' }, await onlyWith(programs))
    expect(lines?.targets).toEqual([{ from: 'A', host: 'a', port: 1, result }])
  })
})
