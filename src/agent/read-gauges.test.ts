import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countEvents, readGauges, readPressure } from './read-gauges.ts'

let proc: string
beforeEach(async () => {
  proc = await mkdtemp(join(tmpdir(), 'signalbox-proc-'))
})
afterEach(() => rm(proc, { recursive: true }))

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(proc, name)), { recursive: true })
  await writeFile(join(proc, name), text)
}

const copy = (container: string | null, files: Readonly<Record<string, string>>) => ({
  container,
  files: new Map(Object.entries(files)),
})

describe('the gauges of a node', () => {
  it('are what its files say', async () => {
    await write('sys/fs/file-nr', '1325\t0\t2465620\n')
    await write('cgroups', '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t1\t9\t1\nmemory\t4\t547\t1\n')
    await write(
      'pressure/io',
      'some avg10=12.50 avg60=1.00 avg300=0 total=1\nfull avg10=2.50 avg60=0 avg300=0 total=1\n',
    )
    expect(await readGauges(proc, { copies: [], heldLogs: 3, endedPods: 4, endedPodBytes: 5 })).toEqual({
      openFiles: 1325,
      openFilesMax: 2465620,
      pressure: { io: { some: 0.125, full: 0.025 } },
      cgroups: 547,
      limitHits: 0,
      oomKills: 0,
      heldLogs: 3,
      endedPods: 4,
      endedPodBytes: 5,
    })
  })

  it('are left out if the machine does not report them', async () => {
    const none = { openFiles: null, openFilesMax: null, pressure: {}, cgroups: null }
    expect(await readGauges(proc, { copies: [], heldLogs: 0, endedPods: 0, endedPodBytes: 0 })).toMatchObject(none)
  })

  it('have no pressure of the whole on a kernel that does not report it', () => {
    expect(readPressure('some avg10=1.00 avg60=0 avg300=0 total=0\n')).toEqual({ some: 0.01, full: 0 })
    expect(readPressure('')).toBeNull()
  })

  it('count the containers of runners under both versions of cgroups, and no pod twice', () => {
    const second = copy('runner', { 'memory.events': 'low 0\nhigh 0\nmax 4\noom 1\noom_kill 2\noom_group_kill 0\n' })
    const first = copy('side', {
      'memory.failcnt': '3\n',
      'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    })
    const pod = copy(null, { 'memory.failcnt': '100\n' })
    expect(countEvents([second, first, pod])).toEqual({ limitHits: 7, oomKills: 3 })
  })
})
