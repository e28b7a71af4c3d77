import type { FetchHandler } from '#/sim/github/fetch-handler.ts'
import type { SimGitHub } from '#/sim/github/sim-github.ts'

/**
 * The side of GitHub that a runner program talks to, as far as `STAND_IN_RUNNER` needs it: a runner comes online with the
 * configuration it was given, gets the job that GitHub's own rules give it, and reports its end. The protocol itself is
 * private; who gets which job is the simulated world's decision.
 */
export function withRunnerSessions(sim: SimGitHub): FetchHandler {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith('/_runner/')) return await sim.fetch(request)
    const id = runnerIn(searchParams.get('jit') ?? '')
    const runner = id === null ? undefined : sim.world.runner(id)
    if (id === null || runner === undefined) return new Response('this runner is not registered\n', { status: 403 })
    switch (pathname) {
      case '/_runner/online':
        sim.world.runnerComesOnline(id)
        return new Response(`${runner.name}\n`)
      case '/_runner/job':
        return await giveJob(sim, id)
      case '/_runner/done':
        sim.world.completeJob(Number(searchParams.get('job')))
        await sim.webhooks.flush()
        return new Response('ok\n')
      default:
        return new Response('no such path\n', { status: 404 })
    }
  }
  return answer
}

async function giveJob(sim: SimGitHub, id: number): Promise<Response> {
  sim.world.assign()
  const given = sim.world.runner(id)?.job ?? null
  if (given === null) return new Response(null, { status: 204 })
  const job = sim.world.startJob(given.id)
  await sim.webhooks.flush()
  return new Response(`${job.id}\n`)
}

function runnerIn(jit: string): number | null {
  try {
    const config = JSON.parse(Buffer.from(jit, 'base64').toString('utf8')) as { readonly agentId?: unknown }
    return typeof config.agentId === 'number' ? config.agentId : null
  } catch {
    return null
  }
}

/** In place of the runner's run.sh, for busybox: prints what the runner prints. GITHUB and SECONDS come from the pod. */
export const STAND_IN_RUNNER = `#!/bin/sh
jit=$(printf %s "$ACTIONS_RUNNER_INPUT_JITCONFIG" | sed 's/+/%2B/g; s#/#%2F#g; s/=/%3D/g')
ask() { timeout 20 wget -q -O - "$GITHUB/_runner/$1?jit=$jit$2"; }
ask online '' >/dev/null || { echo 'Failed to create a session.'; exit 1; }
echo '√ Connected to GitHub'
echo "$(date -u '+%Y-%m-%d %H:%M:%SZ'): Listening for Jobs"
trap 'echo Exiting...; exit 0' INT TERM
job=
while [ -z "$job" ]; do
  job=$(ask job '')
  [ -n "$job" ] || sleep 0.2
done
[ -z "$ACTIONS_RUNNER_HOOK_JOB_STARTED" ] || "$ACTIONS_RUNNER_HOOK_JOB_STARTED"
echo "$(date -u '+%Y-%m-%d %H:%M:%SZ'): Running job: $job"
sleep "$SECONDS_OF_WORK"
ask done "&job=$job" >/dev/null || exit 1
echo "$(date -u '+%Y-%m-%d %H:%M:%SZ'): Job $job completed with result: Succeeded"
`
