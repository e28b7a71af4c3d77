import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyJournal } from './copy-journal.ts'
import type { JournalCopyOptions } from './copy-journal.ts'

const never = new AbortController().signal
/** The time in microseconds; the message makes a line as long as is wanted. */
const line = (time: number, message = 'x'): string =>
  JSON.stringify({ __REALTIME_TIMESTAMP: String(time), MESSAGE: message, _UNKNOWN_TO_US: 'kept' })
const OLDEST = `case "$*" in *output-fields*) echo '${line(1_000_000)}'; exit;; esac`

describe('a copy of the journal', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signalbox-journal-copy-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function imitate(name: string, script: string, changes: Partial<JournalCopyOptions> = {}) {
    const program = join(folder, name)
    await writeFile(program, `#!/bin/sh\n${script}\n`)
    await chmod(program, 0o755)
    return { program, directory: null, namespace: null, maxBytes: 1_000_000, ...changes }
  }

  async function copied(options: JournalCopyOptions, since?: number) {
    const copy = await copyJournal(options, since === undefined ? {} : { since }, never)
    if (copy.kind !== 'seen') return copy
    const text = (await buffer(copy.value.chunks)).toString('utf8')
    return { text, from: copy.value.from, ...copy.value.ending() }
  }

  it('is what journalctl prints, with every field', async () => {
    const text = `${line(2_000_000)}\n${line(3_000_000)}\n`
    const options = await imitate('plain', `${OLDEST}\nprintf '%s\\n' '${line(2_000_000)}' '${line(3_000_000)}'`)
    expect(await copied(options)).toEqual({ text, from: 1000, to: null, gaps: [] })
    expect(await copied(options, 1500)).toMatchObject({ from: 1500 })
  })

  it('asks for the folder, the namespace and the window that are meant', async () => {
    const script = `echo "$*" >> ${folder}/asked; ${OLDEST}`
    await copied(await imitate('asked.sh', script, { directory: '/j', namespace: 'runners' }), 2000)
    const asked = (await readFile(join(folder, 'asked'), 'utf8')).trim().split('\n')
    expect(asked).toHaveLength(2)
    for (const args of asked) expect(args).toMatch(/--directory=\/j .*--namespace=runners/)
    expect(asked[1]).toContain('--since=@2.000')
  })

  it('is blind where there is no journalctl, no journal, or no right to read it', async () => {
    const absent = await copied({ program: join(folder, 'no'), directory: null, namespace: null, maxBytes: 1000 })
    expect(absent).toMatchObject({ kind: 'blind', reason: { code: 'unsupported' } })
    expect(await copied(await imitate('void', 'exit 0'))).toMatchObject({ kind: 'blind' })
    const refused = await imitate(
      'no-right',
      'echo "No journal files were opened due to insufficient permissions." >&2',
    )
    expect(await copied(refused)).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('ends with a whole line at the limit, says how far it came, and ends the process', async () => {
    const long = line(5_000_000, 'y'.repeat(900))
    const script = `${OLDEST}\necho $$ > ${folder}/pid; yes '${long}' | head -n 3000; exec sleep 600`
    const answer = await copied(await imitate('endless', script, { maxBytes: 100_000 }))
    if ('kind' in answer) throw new Error('blind')
    expect(answer.text.endsWith(`${long}\n`)).toBe(true)
    expect(answer.text.length).toBeLessThanOrEqual(100_000)
    expect(answer).toMatchObject({ to: 5000, gaps: [{ code: 'truncated' }] })
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('carries the remark that it shows a part only', async () => {
    const hint = 'Hint: You are currently not seeing messages from other users and the system.'
    const answer = await copied(await imitate('part', `${OLDEST}\necho '${line(2_000_000)}'; echo "${hint}" >&2`))
    expect(answer).toMatchObject({ text: `${line(2_000_000)}\n${hint}\n`, gaps: [{ code: 'forbidden' }] })
  })

  it('stops at once on its signal', async () => {
    const stop = new AbortController()
    const options = await imitate('slow', `${OLDEST}\necho '${line(2_000_000)}'; exec sleep 600`)
    const copy = await copyJournal(options, {}, stop.signal)
    if (copy.kind !== 'seen') throw new Error('blind')
    setTimeout(() => stop.abort(), 50)
    await expect(buffer(copy.value.chunks)).rejects.toThrow('abort')
  })
})
