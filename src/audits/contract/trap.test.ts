import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '#test/core/cpu-time.ts'
import { untrapped } from './trap.ts'

const shell = (text: string) => ({ command: ['/bin/sh', '-c', text] })

describe('a command that does not forward SIGTERM', () => {
  it.each([
    ['a shell that starts the runner and waits', shell('/opt/prepare.sh; /home/runner/run.sh')],
    ['a shell with nothing but the runner', shell('/home/runner/run.sh')],
    ['flags in one word', { command: ['bash', '-ec', 'run.sh'] }],
    ['flags in several words', { command: ['bash', '-e', '-o', 'pipefail', '-c', 'run.sh'] }],
    ['its text among the arguments', { command: ['bash', '-c'], args: ['./run.sh'] }],
    ['a shell as the arguments of an image without an entry point', { args: ['sh', '-c', './run.sh'] }],
    ['an init in front of the shell', { command: ['/usr/bin/tini', '-g', '--', 'bash', '-c', './run.sh'] }],
    ['env in front of the shell', { command: ['/usr/bin/env', 'A=b', 'bash', '-c', './run.sh'] }],
    ['exec with only a redirection', shell('exec 2>&1\n./run.sh')],
    ['exec into a file', shell('exec  >/tmp/log; ./run.sh')],
    ['exec as a word of another command', shell('docker exec helper true; ./run.sh')],
    ['exec in a comment', shell('# exec run.sh\n./run.sh')],
    ['a trap for another signal', shell('trap "echo x" USR1; ./run.sh')],
    ['a script of its own', { command: ['/usr/local/bin/start-runner.sh'] }],
    ['a script by its interpreter', { command: ['bash', '-x', '/opt/start.sh'] }],
    ['an empty variable', { ...shell('./run.sh'), env: [{ name: 'RUNNER_MANUALLY_TRAP_SIG', value: '' }] }],
  ])('is %s', (_what, container) => {
    expect(untrapped(container)).not.toBeNull()
  })

  it.each([
    ["the runner's own script", { command: ['/home/runner/run.sh'] }],
    ["the runner's own script by its interpreter", { command: ['bash', '/home/runner/run.sh'] }],
    ["the runner's own script in another image", { image: 'ghcr.io/acme/runner:1', command: ['./run.sh'] }],
    ['exec at the end', shell('set -e; /opt/prepare.sh && exec /home/runner/run.sh')],
    ['exec on a line of its own', shell('prepare\n  exec ./run.sh --once')],
    ['exec in a branch', shell('if true; then exec ./run.sh; fi')],
    ['a trap of its own', shell('trap "kill -TERM $pid" SIGTERM; ./run.sh & pid=$!; wait')],
    ['the variable within the text', shell('export RUNNER_MANUALLY_TRAP_SIG=1; ./run.sh')],
    ['the variable', { ...shell('./run.sh'), env: [{ name: 'RUNNER_MANUALLY_TRAP_SIG', value: '1' }] }],
    [
      'the variable out of a ConfigMap',
      { ...shell('./run.sh'), env: [{ name: 'RUNNER_MANUALLY_TRAP_SIG', valueFrom: { configMapKeyRef: {} } }] },
    ],
    ['a program', { command: ['/usr/bin/runner'] }],
    ['what the image starts', { args: ['--once'] }],
    ['an init in front of the runner', { command: ['dumb-init', './run.sh'] }],
    ['an init in front of nothing', { command: ['tini', '--'] }],
    ['a shell without anything', { command: ['bash'] }],
    ['no container', undefined],
    ['arguments that are not strings', { command: [1, null, {}] }],
  ])('is not %s', (_what, container) => {
    expect(untrapped(container)).toBeNull()
  })

  it('is found fast in a text made to be slow', () => {
    const text = ';trap '.repeat(150_000)
    const took = measureCpuMs(() => expect(untrapped(shell(text))).not.toBeNull())
    expect(took).toBeLessThan(2000)
  })
})
