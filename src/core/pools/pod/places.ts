/** Where a pod of ours has its volumes. The scripts have the same defaults. */
export const TOKEN_FOLDER = '/signalbox/token'
export const JIT_FOLDER = '/signalbox/jit'
export const SCRIPTS_FOLDER = '/signalbox/scripts'

/** The work folder of the official image. */
export const RUNNER_HOME = '/home/runner'
/** The volume of the work folder; a sidecar with a Docker daemon mounts it too. */
export const WORK_VOLUME = 'work'
