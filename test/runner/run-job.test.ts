import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Place, SHELLS, runScript, runnerScript } from './shells.ts'
import type { Running } from './shells.ts'

let place: Place
const started: Running[] = []
beforeEach(() => {
  place = new Place()
  writeFileSync(place.at('jit', 'jit'), 'the-jit-configuration\n')
  symlinkSync(runnerScript('vitals.sh'), place.at('scripts', 'vitals.sh'))
  write('runner/Runner.Listener', LISTENER)
  write('runner/Runner.Worker', WORKER)
})
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.signal('SIGTERM')
    await one.ended
  }
  place[Symbol.dispose]()
})

function write(name: string, text: string): void {
  const file = place.at(...name.split('/'))
  writeFileSync(file, text)
  chmodSync(file, 0o755)
}

/** Stand-ins with the names of GitHub's processes. The listener starts a worker when the file `job` is there. */
const LISTENER = `#!/bin/bash
worker=
trap 'if [ -z "$worker" ]; then echo "listener got INT"; exit 0; fi; kill -INT "$worker"' INT
echo "Listening for Jobs"
while [ ! -e job ]; do sleep 0.1; done
"$ACTIONS_RUNNER_HOOK_JOB_STARTED"
set -m
./Runner.Worker &
worker=$!
set +m
while [ ! -e ready ]; do sleep 0.1; done
echo "Running job: build"
while kill -0 "$worker" 2>/dev/null; do wait "$worker"; done
exit "$(cat code 2>/dev/null || echo 0)"
`
const WORKER = `#!/bin/bash
trap 'echo "job was cancelled"; exit 0' INT
true >ready
while [ ! -e done ]; do sleep 0.1; done
echo "Job build completed with result: Succeeded"
`
/** As GitHub's run.sh with RUNNER_MANUALLY_TRAP_SIG. */
const RUN = `#!/bin/bash
cd "$(dirname "$0")"
set -m
trap 'kill -INT -$PID; signaled=1' INT TERM
/bin/bash -c './Runner.Listener; exit $?' &
PID=$!
wait $PID
code=$?
if [ "\${signaled:-0}" = 1 ]; then wait $PID; code=$?; fi
exit $code
`

type Options = { readonly shell?: readonly string[]; readonly env?: Readonly<Record<string, string>> }

function run(script: string, { shell = ['sh'], env = {} }: Options = {}): Running {
  write('runner/run.sh', script)
  const running = runScript(
    [...shell, runnerScript('run-job.sh')],
    {
      PATH: process.env['PATH'] ?? '',
      VITALS_INTERVAL: '600',
      SIGNALBOX_JIT_FOLDER: place.at('jit'),
      SIGNALBOX_SCRIPTS_FOLDER: place.at('scripts'),
      ...env,
    },
    place.sub('runner'),
  )
  started.push(running)
  return running
}

const give = (file: string, text = ''): void => writeFileSync(place.at('runner', file), text)
const ofPath = (name: string) => place.at('jit', name)

/** Those without job control run as they are where there is no bash. */
const TOOLS = [
  'sh',
  'dash',
  'busybox',
  'sed',
  'head',
  'sleep',
  'rm',
  'chmod',
  'grep',
  'date',
  'cat',
  'ls',
  'tr',
  'dirname',
]

describe.each(SHELLS)('the script of the runner in %s', (name, shell) => {
  const pathOf = (): Readonly<Record<string, string>> =>
    name === 'bash' ? {} : { PATH: place.commands(TOOLS.filter((tool) => tool !== 'bash')) }
  it('gives the configuration to the runner and keeps it from the job', async () => {
    const script = `#!/bin/sh
ls ${place.folder}/jit
echo "got $ACTIONS_RUNNER_INPUT_JITCONFIG" | tr a-z A-Z
echo "args: $*"
exit 7
`
    const running = run(script, { shell, env: pathOf() })
    expect(await running.ended).toBe(7)
    expect(running.output()).toContain('GOT THE-JIT-CONFIGURATION')
    expect(running.output()).not.toContain('the-jit-configuration')
    expect(running.output()).toMatch(/^args: $/m)
    expect(existsSync(ofPath('jit'))).toBe(false)
    expect(running.output()).toMatch(/^signalbox-vitals 1 time=/m)
    expect(running.output()).toContain('signalbox-run: the runner ended with exit code 7')
  })

  it('has nothing to run where no job was handed over', async () => {
    writeFileSync(ofPath('jit'), '')
    const running = run('#!/bin/sh\nexit 7\n', { shell, env: pathOf() })
    expect([await running.ended, running.output()]).toEqual([
      0,
      'signalbox-run: no job was handed over; nothing to run\n',
    ])
  })

  it('lets the job end on SIGTERM', async () => {
    const running = run(RUN, {
      shell,
      env: { ...pathOf(), SIGNALBOX_SHUTDOWN: 'finish', SIGNALBOX_FINISH_SECONDS: '600' },
    })
    give('job')
    await running.printed('Running job')
    running.signal('SIGTERM')
    await running.printed('its job may finish within 600 s')
    give('done')
    expect(await running.ended).toBe(0)
    expect(running.output()).toContain('Succeeded')
  })

  it('ends an idle runner without a job, within its time', async () => {
    const running = run(RUN, { shell, env: { ...pathOf(), SIGNALBOX_IDLE_SECONDS: '1', SIGNALBOX_FORCE_SECONDS: '1' } })
    await running.printed('no job assigned within 1 s')
    expect(await running.ended).not.toBeNull()
    expect(running.output()).not.toContain('Running job')
  })
})

describe('the script of the runner', () => {
  it('starts the runner with SIGINT as it is by default, so that a cancel reaches the steps', async () => {
    const running = run('#!/bin/bash\ngrep SigIgn /proc/$$/status\n')
    await running.ended
    const ignored = /SigIgn:\s*([0-9a-f]+)/.exec(running.output())?.[1] ?? ''
    expect(BigInt(`0x${ignored}`) & 0b10n).toBe(0n)
  })

  it('ends an idle runner by the way on which it leaves GitHub, on SIGTERM too', async () => {
    // SIGUSR1 is the deadline: a short one may pass before the listener runs.
    for (const signal of ['SIGUSR1', 'SIGTERM'] as const) {
      writeFileSync(ofPath('jit'), 'x\n')
      const env = { SIGNALBOX_FINISH_SECONDS: '600', SIGNALBOX_IDLE_SECONDS: '600' }
      const running = run(RUN, { env })
      await running.printed('Listening for Jobs')
      running.signal(signal)
      expect(await running.ended).toBe(0)
      expect(running.output()).toContain('ends the idle runner')
      expect(running.output()).toContain('listener got INT')
    }
  })

  it.each([
    ['the hook', ''],
    ['a worker that started before the hook', 'worker'],
    ['the log of the runner before there is a worker', 'log'],
  ])('leaves a runner whose job arrives at the deadline: seen by %s', async (_title, how) => {
    const script = `#!/bin/bash
cd "$(dirname "$0")"
case '${how}' in
worker) ./Runner.Worker & until grep -q Runner.Worker /proc/$!/comm; do :; done ;;
log) mkdir -p _diag; echo "[INFO JobDispatcher] Job request 0 for plan x job y received." >_diag/Runner_1.log ;;
*) "$ACTIONS_RUNNER_HOOK_JOB_STARTED" ;;
esac
kill -USR1 $PPID # the deadline
while [ ! -e done ]; do sleep 0.1; done
wait
exit 3
`
    const running = run(script, { env: { SIGNALBOX_IDLE_SECONDS: '600' } })
    await running.printed('a job arrived at the deadline')
    give('done')
    expect(await running.ended).toBe(3)
    expect(running.output()).not.toContain('ends the idle runner')
  })

  it('lets a job go on that removed the mark of its start', async () => {
    const running = run(RUN, { env: { SIGNALBOX_IDLE_SECONDS: '600' } })
    give('job')
    await running.printed('Running job')
    writeFileSync(ofPath('job-started'), '')
    rmSync(ofPath('job-started'))
    running.signal('SIGUSR1')
    await running.printed('the runner keeps it')
    give('done')
    expect(await running.ended).toBe(0)
    expect(running.output()).toContain('Succeeded')
  })

  it('reports the job on SIGTERM where it shall not finish', async () => {
    const running = run(RUN, { env: { SIGNALBOX_SHUTDOWN: 'report' } })
    give('job')
    give('code', '5')
    await running.printed('Running job')
    running.signal('SIGTERM')
    expect(await running.ended).toBe(5)
    expect(running.output()).toContain('received SIGTERM; the runner ends and reports its job')
    expect(running.output()).toContain('job was cancelled')
    expect(running.output()).not.toContain('Succeeded')
  })

  it('reports the job that does not finish in time', async () => {
    const running = run(RUN, { env: { SIGNALBOX_FINISH_SECONDS: '1' } })
    give('job')
    await running.printed('Running job')
    running.signal('SIGTERM')
    await running.ended
    expect(running.output()).toContain('the job did not finish within 1 s')
    expect(running.output()).toContain('job was cancelled')
  })

  it('waits for a runner that still reports after run.sh has ended', async () => {
    const running = run(`#!/bin/bash
cd "$(dirname "$0")"
./Runner.Worker >worker.log &
until [ -e ready ]; do sleep 0.1; done
exit 9
`)
    await running.printed('signalbox-vitals')
    give('done')
    expect(await running.ended).toBe(9)
    expect(readFileSync(place.at('runner', 'worker.log'), 'utf8')).toContain('Succeeded')
  })

  it('runs the hook of the template too, and passes its failure on', async () => {
    write('hook.sh', 'echo "own hook ran"\nfalse\necho "not this"\n')
    const script = '#!/bin/sh\nbash -e "$ACTIONS_RUNNER_HOOK_JOB_STARTED"; echo "hook ended with $?"\n'
    const running = run(script, {
      env: { ACTIONS_RUNNER_HOOK_JOB_STARTED: place.at('hook.sh'), SIGNALBOX_IDLE_SECONDS: '600' },
    })
    await running.ended
    // The vitals beside it may print between the two.
    for (const line of ['own hook ran\n', 'hook ended with 1\n']) expect(running.output()).toContain(line)
    expect(running.output()).not.toContain('not this')
    expect(existsSync(ofPath('job-started'))).toBe(true)
  })

  it('runs the command of the template', async () => {
    write('runner/other.sh', '#!/bin/sh\necho "other with $1"\n')
    const running = runScript(
      ['sh', runnerScript('run-job.sh'), './other.sh', '--once'],
      {
        PATH: process.env['PATH'] ?? '',
        SIGNALBOX_JIT_FOLDER: place.at('jit'),
        SIGNALBOX_SCRIPTS_FOLDER: place.at('scripts'),
      },
      place.sub('runner'),
    )
    started.push(running)
    expect(await running.ended).toBe(0)
    expect(running.output()).toContain('other with --once')
  })
})
