import type { Signature } from '#/core/evidence/signature.ts'

export const taskOom: Signature = {
  id: 'task-oom',
  says: 'containerd saw an OOM kill in a container of the pod.',
  patterns: [
    {
      streams: ['containerd'],
      regex: /TaskOOM event (?:&TaskOOM\{ContainerID:|container_id:\\?")(?<container>[0-9a-f]{8,64})/,
      literals: ['TaskOOM event '],
      strength: 'strong',
      caution: 'On cgroup v1 it is reported for every container of the pod: the kernel line names the victim.',
      examples: {
        matches: [
          'time="2026-11-15T20:38:38.690299516Z" level=info msg="TaskOOM event &TaskOOM{ContainerID:f93e1832890773488a2096c69ff80f5b2c067ed7e7e8184b4fb872ee0eed7a81,XXX_unrecognized:[],}"',
        ],
        rejects: [
          String.raw`time="2026-11-15T20:42:07.993600158Z" level=info msg="Container to stop \"aef6df33d7eaf8ddbde9b478696f81229aaf7cdd4c17f110ee285d3f5faa995d\" must be in running or unknown state, current state \"CONTAINER_EXITED\""`,
        ],
      },
    },
  ],
}
