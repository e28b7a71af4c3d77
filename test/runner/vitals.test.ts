import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { readVitals } from '#/core/evidence/vitals.ts'

const script = path.resolve(import.meta.dirname, '..', '..', 'deploy', 'runner', 'vitals.sh')

/** As a kernel with cgroup v2 shows them inside a container; this machine may only have v1. */
const VERSION_2 = {
  'memory.current': '125829120\n',
  'memory.peak': '125829120\n',
  'memory.max': '125829120\n',
  'memory.events': 'low 0\nhigh 0\nmax 68\noom 1\noom_kill 1\noom_group_kill 0\n',
  'memory.pressure':
    'some avg10=12.50 avg60=3.10 avg300=0.80 total=123\nfull avg10=9.00 avg60=2.00 avg300=0.50 total=99\n',
  'pids.current': '42\n',
  'pids.max': 'max\n',
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'signalbox-vitals-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

function recorded(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return { PATH: process.env['PATH'] ?? '', VITALS_CGROUP: folder, VITALS_PROC: path.join(folder, 'proc') }
}

const sample = (env: Readonly<Record<string, string>>): string =>
  spawnSync('sh', [script], { env: { VITALS_COUNT: '1', ...env }, encoding: 'utf8' }).stdout.trimEnd()

describe('the sampler in the runner pod', () => {
  it('reads cgroup v2', () => {
    const env = recorded({
      ...VERSION_2,
      'proc/meminfo': 'MemTotal:  2048 kB\nMemFree: 1 kB\nMemAvailable:  1024 kB\n',
    })
    expect(readVitals(sample(env))).toMatchObject({
      cgroup: 2,
      memoryBytes: 125_829_120,
      memoryLimitBytes: 125_829_120,
      oomKills: 1,
      processes: 42,
      processLimit: Infinity,
      memoryPressure: 12.5,
      guestAvailableBytes: 1024 * 1024,
    })
  })

  it('reads cgroup v1', () => {
    const env = recorded({
      'memory/memory.usage_in_bytes': '1000\n',
      'memory/memory.limit_in_bytes': '2000\n',
      'memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
      'pids/pids.current': '7\n',
    })
    expect(readVitals(sample(env))).toMatchObject({
      cgroup: 1,
      memoryBytes: 1000,
      memoryLimitBytes: 2000,
      oomKills: 3,
      processes: 7,
    })
  })

  it('counts the processes of the runner, and none where it sees none', () => {
    const env = recorded({
      'proc/1/comm': 'run.sh\n',
      'proc/18/comm': 'Runner.Listener\n',
      'proc/42/comm': 'Runner.Worker\n',
    })
    expect(readVitals(sample(env))).toMatchObject({ listeners: 1, workers: 1 })
    rmSync(path.join(folder, 'proc', '42'), { recursive: true })
    expect(readVitals(sample(env))).toMatchObject({ listeners: 1, workers: 0 })
    rmSync(path.join(folder, 'proc'), { recursive: true })
    expect(readVitals(sample(env))).toMatchObject({ listeners: null, workers: null })
  })

  it('omits what it cannot read, and values that are not words', () => {
    expect(sample(recorded({}))).toMatch(/^signalbox-vitals 1 time=\S+$/)
    expect(readVitals(sample(recorded({ 'memory.current': '$(reboot)\n' })))).toMatchObject({ memoryBytes: null })
  })

  it('reads this machine', () => {
    const vitals = readVitals(sample({ PATH: process.env['PATH'] ?? '' }))
    expect(vitals).not.toBeNull()
    if (process.platform === 'linux') expect(vitals?.guestTotalBytes).toBeGreaterThan(0)
  })

  it('prints a last sample on SIGTERM, and ends at once', async () => {
    const child = spawn('sh', [script], {
      env: { ...recorded(VERSION_2), VITALS_INTERVAL: '600' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    const first = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString()
        resolve()
      })
    })
    await first
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', resolve)
    })
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(
      printed
        .trimEnd()
        .split('\n')
        .map((line) => readVitals(line)?.oomKills),
    ).toEqual([1, 1])
  })

  it('accepts an invalid interval without failing', () => {
    expect(sample({ ...recorded(VERSION_2), VITALS_INTERVAL: '-3; reboot' })).toContain('cgroup=2')
  })
})
