import { at, listAt, textAt, toFields } from '#/core/basics/fields.ts'
import type { Fields } from '#/core/basics/fields.ts'
import { parseQuantity } from '#/core/kubernetes/quantity.ts'
import { RUNNER } from '#/core/pools/check-template.ts'
import type { RunnerPool } from '#/core/pools/runner-pool.ts'
import { JIT_FOLDER, RUNNER_HOME, SCRIPTS_FOLDER, WORK_VOLUME } from './places.ts'

const STORAGE = 'ephemeral-storage'
const STORAGE_REQUEST = '1Gi'
const STORAGE_LIMIT = '50Gi'

/** What the runner has unless the template says otherwise. */
export function runnerDefaults(runner: Fields): Fields {
  const limits = toFields(at(runner, 'resources', 'limits'))
  const requests = toFields(at(runner, 'resources', 'requests'))
  const requested = parseQuantity(requests[STORAGE]) ?? 0
  const isLarge = requested > (parseQuantity(STORAGE_LIMIT) ?? 0)
  const isLimited = limits[STORAGE] !== undefined && limits[STORAGE] !== null
  const hasWork = listAt(runner, 'volumeMounts').some((mount) => textAt(mount, 'mountPath') === workFolder(runner))
  return {
    name: RUNNER,
    resources: {
      // A limit alone is also the request.
      ...(isLimited ? {} : { requests: { [STORAGE]: STORAGE_REQUEST } }),
      limits: { [STORAGE]: isLarge ? requests[STORAGE] : STORAGE_LIMIT },
    },
    volumeMounts: hasWork ? [] : [{ name: WORK_VOLUME, mountPath: workFolder(runner) }],
  }
}

/** What the runner has, whatever the template says. */
export function runnerProtections(runner: Fields, pool: RunnerPool, graceSeconds: number): Fields {
  const env = {
    // Without it run.sh as process 1 ignores SIGTERM.
    RUNNER_MANUALLY_TRAP_SIG: '1',
    ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT: '1',
    SIGNALBOX_SHUTDOWN: pool.shutdown,
    SIGNALBOX_FINISH_SECONDS: String(graceSeconds - REPORT_SECONDS),
    SIGNALBOX_IDLE_SECONDS: String(Math.ceil(pool.size.idleTimeoutMs / 1000)),
  }
  return {
    name: RUNNER,
    command: [
      '/bin/sh',
      `${SCRIPTS_FOLDER}/run-job.sh`,
      ...listAt(runner, 'command'),
      ...(listAt(runner, 'command').length === 0 ? [] : listAt(runner, 'args')),
    ],
    args: null,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: 'signalbox-jit', mountPath: JIT_FOLDER },
      { name: 'signalbox-scripts', mountPath: SCRIPTS_FOLDER, readOnly: true },
    ],
  }
}

/** How long a runner needs to report a job that was ended. */
const REPORT_SECONDS = 60
const FINISH_SECONDS = 3600

/** The template's own, if a job can still be reported within it. */
export function graceSeconds({ shutdown, template }: RunnerPool): number {
  const own = at(template, 'spec', 'terminationGracePeriodSeconds')
  const usual = shutdown === 'finish' ? FINISH_SECONDS : REPORT_SECONDS
  return Number.isSafeInteger(own) ? Math.max(REPORT_SECONDS, Number(own)) : usual
}

function workFolder(runner: Fields): string {
  return `${(textAt(runner, 'workingDir') ?? RUNNER_HOME).replace(/\/+$/, '')}/_work`
}
