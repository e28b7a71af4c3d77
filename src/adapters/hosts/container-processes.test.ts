import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRunnerProcesses } from '#/agent/runner-processes.ts'
import { findWorker, readProcesses } from '#/core/interlock/processes.ts'
import { LISTING_SCRIPT, readListing } from '#/core/processes/listing.ts'
import { printProcesses } from '#/core/processes/print-processes.ts'
import { readContainerProcesses } from './container-processes.ts'

const ID = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)
const POD = 'pod0e6c1f0a-7d5e-4d0e-9a53-1f0a7d5e4d0e'
const V2 = `0::/kubepods.slice/kubepods-${POD}.slice/cri-containerd-${ID}.scope\n`
const V1 = `4:memory:/kubepods/${POD}/${ID}\n3:pids:/kubepods/${POD}/${ID}\n`
const { signal } = new AbortController()
const redact = (text: string): string => text

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-proc-'))
  await write('uptime', '1000.00 1.00\n')
})
afterEach(() => rm(folder, { recursive: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function process(pid: number, cgroup: string, args: string): Promise<void> {
  await write(`${pid}/cgroup`, cgroup)
  await write(`${pid}/stat`, `${pid} (x) S 1 ${'0 '.repeat(17)}90000 1\n`)
  await write(`${pid}/cmdline`, `${args.replaceAll(' ', '\0')}\0`)
}

async function rows(): Promise<unknown> {
  const read = await readContainerProcesses({ proc: folder, redact }, ID, signal)
  return read.kind === 'seen' ? read.value.split('\n').slice(1, -1) : read
}

describe('the processes of a container, seen from its node', () => {
  it.each([
    ['version 2', V2],
    ['version 1', V1],
    ['version 2, from a namespace beside it', `0::/../../kubepods-${POD}.slice/cri-containerd-${ID}.scope\n`],
  ])('are those in its cgroup under %s', async (_title, cgroup) => {
    await process(18, cgroup, '/home/runner/bin/Runner.Listener run')
    await process(19, cgroup.replaceAll(ID, OTHER), 'dockerd')
    await process(20, '0::/init.scope\n', 'systemd')
    expect(await rows()).toEqual(['18 1 100 /home/runner/bin/Runner.Listener run'])
  })

  it.each([
    ['version 2', V2.replace('.scope', `.scope/docker/${OTHER}`)],
    ['version 1', V1.replaceAll(ID, `${ID}/docker/${OTHER}`)],
  ])('include those of containers inside it under %s', async (_title, nested) => {
    await process(18, V2, '/home/runner/run.sh')
    await process(30, nested, '/runner/bin/Runner.Worker spawnclient 1 2')
    expect(await rows()).toContainEqual(expect.stringContaining('Runner.Worker'))
  })

  it('leave out one that ended meanwhile', async () => {
    await process(18, V2, '/home/runner/run.sh')
    await mkdir(join(folder, '19'))
    await write('20/cgroup', V2)
    expect(await rows()).toEqual(['18 1 100 /home/runner/run.sh'])
  })

  it.each(['cgroup', 'stat', 'cmdline'])('are blind if %s of one cannot be read', async (file) => {
    await process(18, V2, '/home/runner/run.sh')
    await process(19, V2, 'x')
    await rm(join(folder, '19', file))
    await mkdir(join(folder, '19', file))
    expect(await rows()).toMatchObject({ kind: 'blind', reason: { code: 'forbidden' } })
  })

  it('are blind, and not none, if nothing of the container is visible', async () => {
    await process(18, '0::/\n', 'signalbox agent')
    expect(await rows()).toMatchObject({
      kind: 'blind',
      reason: { detail: expect.stringContaining('agent.processes') as string },
    })
  })
})

describe('an agent that is asked for processes', () => {
  it('says that it may not see them', async () => {
    expect(await createRunnerProcesses(null)(ID, signal)).toMatchObject({
      kind: 'blind',
      reason: { code: 'unsupported' },
    })
  })

  it('ends with its time, also behind one that hangs', async () => {
    // A pipe that nobody writes to is read for ever, as the arguments of a process that hangs in the kernel.
    await process(18, V2, '/home/runner/run.sh')
    await rm(join(folder, '18', 'cmdline'))
    await promisify(execFile)('mkfifo', [join(folder, '18', 'cmdline')])
    const read = createRunnerProcesses({ proc: folder, redact })
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = Promise.allSettled([read(ID, first.signal), read(ID, second.signal)])
    // Resolves when the first has opened it.
    const writer = await open(join(folder, '18', 'cmdline'), 'w')
    for (const one of [first, second]) one.abort()
    expect(await asked).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    await writer.close()
  })
})

describe.skipIf(globalThis.process.platform !== 'linux')('the script for a container, on this machine', () => {
  it('shows a worker by its name and its arguments, and itself', async () => {
    const worker = join(folder, 'Runner.Worker')
    await symlink('/bin/sleep', worker)
    const child = spawn(worker, ['60'])
    await once(child, 'spawn')
    try {
      const { stdout } = await promisify(execFile)('sh', ['-c', LISTING_SCRIPT, 'sh', 'mark'], {
        maxBuffer: 64_000_000,
      })
      const listing = readListing(stdout, 'mark')
      if (listing.kind !== 'seen') throw new Error(JSON.stringify(listing))
      const text = printProcesses(listing.value.processes, { ...listing.value, redact })
      const own = text.kind === 'seen' ? text.value.split('\n').filter((row) => row.startsWith(`${child.pid} `)) : []
      expect(own).toEqual([expect.stringMatching(/^\d+ \d+ \d+ \S+Runner\.Worker 60$/)])
      const read = readProcesses(`1 0 5 /home/runner/run.sh\n${own[0] ?? ''}\n`)
      expect(read.kind === 'seen' ? findWorker(read.value) : read).toBe(own[0])
    } finally {
      child.kill('SIGKILL')
    }
  })
})
