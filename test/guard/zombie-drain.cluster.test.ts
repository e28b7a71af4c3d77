import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '#/adapters/clock.ts'
import { serveGitHub } from '#/sim/github/serve-github.ts'
import { createSimGitHub } from '#/sim/github/sim-github.ts'
import { installArc } from '#test/cluster/arc-crds.ts'
import { run } from '#test/cluster/command.ts'
import { readPod, untilPod } from '#test/cluster/pods.ts'
import { describeWithPrivateNode } from '#test/cluster/suites.ts'
import { testDatabase } from '#test/postgres/test-database.ts'
import { startServe } from '#test/recorder/serve-process.ts'
import {
  createRunnerNamespaces,
  hasStamp,
  runGuard,
  startRunner,
  untilGone,
  untilRefused,
  untilStamped,
} from './guarded-runners.ts'

const TIMEOUT = { timeout: 900_000 }
const REPOSITORY = 'acme/app'
/** Only a list of GitHub from two minutes after the job began proves that it is over; it is read each minute. */
const SEEN_WITHIN_MS = 420_000
const { connectionString } = await testDatabase()

/** `other` stays: an empty list proves nothing. */
async function startGitHub(runners: readonly string[]) {
  const sim = createSimGitHub({ clock: systemClock })
  sim.world.addOrganization('acme')
  sim.world.addRepository(REPOSITORY)
  sim.install('acme')
  for (const name of [...runners, 'other']) {
    const scope = { kind: 'repository', fullName: REPOSITORY } as const
    const registered = sim.world.registerRunner({ name, scope, labels: [name], ephemeral: true })
    if (registered.kind !== 'registered') throw new Error(registered.kind)
    sim.world.runnerComesOnline(registered.runner.id)
  }
  const served = await serveGitHub((request) => sim.fetch(request))
  onTestFinished(() => served.stop())
  const giveJob = (runner: string): number => {
    const job = sim.world.queueJob({ repository: REPOSITORY, labels: [runner] })
    sim.world.assign()
    sim.world.startJob(job.id)
    return job.id
  }
  const env = { SIGNALBOX_GITHUB_TOKEN: sim.personalToken('acme'), SIGNALBOX_GITHUB_BASE_URL: served.url }
  return { sim, giveJob, env, githubConfigUrl: `${served.url}/${REPOSITORY}` }
}

describeWithPrivateNode('a node whose guarded runner has become a zombie', (cluster) => {
  test(
    'is drained once GitHub says that the job is over, although the runner and its record go on',
    TIMEOUT,
    async () => {
      await installArc(cluster())
      const [namespace = ''] = await createRunnerNamespaces(cluster(), ['zombies'])
      const { sim, giveJob, env, githubConfigUrl } = await startGitHub(['zombie'])
      const job = giveJob('zombie')
      const folder = await mkdtemp(join(tmpdir(), 'signalbox-zombie-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true }))
      const args = ['--data', folder, '--kubeconfig', cluster().kubeconfig, '-n', namespace]
      const serve = await startServe(args, connectionString, { ...env, SIGNALBOX_GUARD_STAMP: 'true' })
      onTestFinished(() => serve.stop('SIGKILL'))
      const zombie = await startRunner(cluster(), { name: 'zombie', namespace, githubConfigUrl })
      await untilStamped(cluster(), zombie)
      const applied = await runGuard(cluster(), ['apply', '--mode', 'deny', '-n', namespace])
      expect([applied.code, applied.stderr]).toEqual([0, expect.any(String)])
      await untilRefused(cluster(), zombie)
      const drain = async (time: string) => {
        const selector = '--pod-selector=actions.github.com/scale-set-name=lane'
        const all = ['drain', cluster().node.name, '--force', '--ignore-daemonsets', selector, `--timeout=${time}`]
        const { code, stdout, stderr } = await run(cluster().kubectlPath, [
          `--kubeconfig=${cluster().kubeconfig}`,
          ...all,
        ])
        return { code, said: stdout + stderr }
      }
      const waited = await drain('10s')
      expect([waited.code, waited.said]).toEqual([1, expect.stringContaining('disruption budget') as string])

      sim.world.completeJob(job)
      await untilPod(cluster(), zombie, (pod) => !hasStamp(pod), SEEN_WITHIN_MS)
      expect((await readPod(cluster(), zombie))?.status?.phase).toBe('Running')
      const ended = await drain('240s')
      expect([ended.code, ended.said]).toEqual([0, expect.stringContaining('drained') as string])
      await untilGone(cluster(), zombie)
    },
  )
})
