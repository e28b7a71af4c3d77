import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Journal } from '#/ports/journal.ts'
import { JOURNALD } from '#test/cluster/journal.ts'
import { describeWhereSupported } from '#test/cluster/suites.ts'
import { until } from '#test/cluster/until.ts'
import { createJournalctl } from './journalctl.ts'

const never = new AbortController().signal
const line = (fields: object): string =>
  JSON.stringify({ __REALTIME_TIMESTAMP: '1794775118692946', MESSAGE: 'x', ...fields })

describe('journalctl as a process', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-journalctl-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  /** A program in the place of journalctl. It answers the question for the oldest line like any other. */
  async function imitate(name: string, script: string, limits = {}): Promise<Journal> {
    const program = join(folder, name)
    await writeFile(program, `#!/bin/sh\n${script}\n`)
    await chmod(program, 0o755)
    return createJournalctl({ program, directory: null, maxBytes: 1_000_000, maxLines: 1000, ...limits })
  }

  it('is blind where there is no journalctl, and where it may not be run', async () => {
    const options = { directory: null, maxBytes: 1000, maxLines: 10 }
    const absent = createJournalctl({ ...options, program: join(folder, 'absent') })
    expect(await absent.read({}, never)).toMatchObject({ kind: 'blind', reason: { code: 'unsupported' } })
    await writeFile(join(folder, 'plain'), 'x')
    const plain = createJournalctl({ ...options, program: join(folder, 'plain') })
    expect(await plain.read({}, never)).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('distinguishes refused, empty and truncated', async () => {
    const oldest = `case "$*" in *output-fields*) echo '${line({ __REALTIME_TIMESTAMP: '1000000' })}'; exit;; esac`
    const refused = await imitate(
      'refused',
      'echo "No journal files were opened due to insufficient permissions." >&2; exit 1',
    )
    const empty = await imitate('empty', oldest)
    const cut = await imitate('cut', `${oldest}; echo '${line({})}'; printf '{"__REAL'`)
    expect(await refused.read({}, never)).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
    expect(await empty.read({ since: 2000 }, never)).toEqual({ kind: 'none' })
    expect(await cut.read({}, never)).toMatchObject({ kind: 'seen', value: { gaps: [{ code: 'truncated' }] } })
  })

  it('does not say "none" of a journal that has no line at all, or that begins after the time asked for', async () => {
    const unused = await imitate('void', 'exit 0')
    expect(await unused.read({}, never)).toMatchObject({ kind: 'blind', reason: { code: 'unsupported' } })
    const young = await imitate('young', `case "$*" in *output-fields*) echo '${line({})}';; esac`)
    expect(await young.read({ since: 1000 }, never)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
  })

  it('stops reading at the limit of bytes, says so, and ends the process', async () => {
    const script = `echo $$ > ${folder}/endless.pid; yes '${line({})}' | head -n 3000; exec sleep 600`
    const endless = await imitate('endless', script, { maxBytes: 100_000, maxLines: 1_000_000 })
    const answer = await endless.read({}, never)
    expect(JSON.stringify(answer)).toContain('journalctl printed more than 100000 bytes')
    expect(isAlive(Number(await readFile(join(folder, 'endless.pid'), 'utf8')))).toBe(false)
  })

  it.each([
    ['stopped', undefined],
    ['timeout', new DOMException('too late', 'TimeoutError')],
  ])('is %s by the signal, and the process is gone', async (code, reason) => {
    const pidFile = join(folder, `${code}.pid`)
    const silent = await imitate(`silent-${code}`, `echo $$ > ${pidFile}; exec sleep 600`)
    const controller = new AbortController()
    const answering = silent.read({}, controller.signal)
    const pid = await until({ what: 'the process', timeoutMs: 60_000, probe: () => readPid(pidFile) })
    controller.abort(reason)
    expect(await answering).toMatchObject({ kind: 'blind', reason: { code } })
    expect(isAlive(pid)).toBe(false)
  })

  it('says that journalctl was ended by somebody', async () => {
    const killed = await imitate('killed', `echo '${line({})}'; kill -TERM $$`)
    const answer = await killed.read({}, never)
    expect(answer).toMatchObject({ kind: 'seen', value: { gaps: [{ code: 'server-error' }] } })
  })
})

describeWhereSupported('journalctl on a real journal', 'node', () => {
  // A namespace of its own: neither the machine's journal nor that of another suite is touched.
  const namespace = `signalbox${process.pid}`
  const sockets = `/run/systemd/journal.${namespace}`
  let journald: ChildProcess
  let directory: string
  let journal: Journal
  let startedAt: number

  beforeAll(async () => {
    startedAt = Date.now()
    await mkdir(sockets, { recursive: true })
    // Another suite looks for a journald of the machine by its name.
    journald = spawn(JOURNALD, [namespace], { argv0: 'journald-of-a-test', stdio: 'ignore' })
    const machine = (await readFile('/etc/machine-id', 'utf8')).trim()
    const folders = ['/var/log/journal', '/run/log/journal'].map((root) => `${root}/${machine}.${namespace}`)
    directory = await until({
      what: 'the folder of the journal',
      timeoutMs: 60_000,
      probe: async () => folders.find((folder) => existsSync(folder)),
    })
    journal = createJournalctl({ program: 'journalctl', directory, maxBytes: 10_000_000, maxLines: 1000 })
    const stream = connect(`${sockets}/stdout`)
    await once(stream, 'connect')
    // journald's protocol: identifier, unit, level, level prefix, three times "do not forward".
    stream.write('kubelet\n\n6\n1\n0\n0\n0\n')
    stream.write(`first\n<3>failed\nwith \u0001 bytes\n${'y'.repeat(6000)}\nlast grün\n`)
    await until({
      what: 'the last line in the journal',
      timeoutMs: 60_000,
      probe: async () => {
        const answer = await journal.read({ grep: 'last' }, never)
        return answer.kind === 'seen' ? true : undefined
      },
    })
    stream.destroy()
  })

  afterAll(async () => {
    journald.kill('SIGTERM')
    if (journald.exitCode === null && journald.signalCode === null) await once(journald, 'exit')
    await rm(sockets, { recursive: true, force: true })
    await rm(directory, { recursive: true, force: true })
  })

  it('reads what was written, long and unprintable messages too', async () => {
    const answer = await journal.read({ until: Date.now() }, never)
    if (answer.kind !== 'seen') throw new Error(JSON.stringify(answer))
    const ours = answer.value.lines.filter((entry) => entry.identifier === 'kubelet')
    expect(ours.map((entry) => entry.message)).toEqual([
      'first',
      'failed',
      'with \u0001 bytes',
      'y'.repeat(6000),
      'last grün',
    ])
    expect(ours[1]).toMatchObject({ priority: 3, transport: 'stdout', pid: process.pid })
    expect(ours.every((entry) => entry.at >= startedAt - 1000 && entry.at <= Date.now())).toBe(true)
    expect(answer.value.gaps).toEqual([])
  })

  it('says "none" of a pattern that is not there, and of the kernel, which this journal does not have', async () => {
    expect(await journal.read({ grep: 'nothing like it' }, never)).toEqual({ kind: 'none' })
    expect(await journal.read({ kernelOnly: true }, never)).toEqual({ kind: 'none' })
  })

  it('is blind, not empty, for a time before the journal began and for a boot that it does not know', async () => {
    const before = await journal.read({ since: startedAt - 3_600_000, until: startedAt - 3_000_000 }, never)
    expect(before).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
    expect(await journal.read({ boot: -3 }, never)).toMatchObject({ kind: 'blind', reason: { code: 'expired' } })
  })

  it('is blind for a folder that is not there and for one without a journal', async () => {
    const elsewhere = (path: string): Journal =>
      createJournalctl({ program: 'journalctl', directory: path, maxBytes: 1000, maxLines: 10 })
    expect(await elsewhere('/nowhere').read({}, never)).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported' },
    })
    expect(await elsewhere(sockets).read({}, never)).toMatchObject({ kind: 'blind', reason: { code: 'unsupported' } })
  })
})

async function readPid(path: string): Promise<number | undefined> {
  const text = existsSync(path) ? await readFile(path, 'utf8') : ''
  return text.endsWith('\n') ? Number(text) : undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
