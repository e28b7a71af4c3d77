import type { Signature } from '#/core/evidence/signature.ts'

export const oomKill: Signature = {
  id: 'oom-kill',
  says: 'The OOM killer chose a victim; its cgroups show whose memory ran out.',
  patterns: [
    {
      streams: ['kernel'],
      regex:
        /oom-kill:constraint=(?<constraint>CONSTRAINT_NONE|CONSTRAINT_CPUSET|CONSTRAINT_MEMORY_POLICY|CONSTRAINT_MEMCG),nodemask=(?<nodemask>[^,]*(?:,[\d-]+)*),cpuset=(?<cpuset>[^,]+),mems_allowed=[\d,-]+(?:,global_oom|,oom_memcg=(?<limited>[^,]+)),task_memcg=(?<cgroup>[^,]+),task=(?<victim>[^,]+),pid=(?<pid>\d+),uid=(?<user>\d+)/,
      literals: ['oom-kill:constraint='],
      strength: 'decisive',
      caution:
        'The limit that was hit belongs to `limited`; whose process died is in `cgroup`. The process that invoked the OOM killer is not the victim.',
      examples: {
        matches: [
          'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a7961328eccba44173c63cfc7ec5e189a8a7cb86b6cbfbaf2045c7402f6057a8,mems_allowed=0,oom_memcg=/kubepods/burstable/pod577ae8fa-cf31-40e1-9af5-6aa52f235a10,task_memcg=/kubepods/burstable/pod577ae8fa-cf31-40e1-9af5-6aa52f235a10/a7961328eccba44173c63cfc7ec5e189a8a7cb86b6cbfbaf2045c7402f6057a8,task=node,pid=6576,uid=0',
        ],
        rejects: ['memory+swap: usage 131072kB, limit 9007199254740988kB, failcnt 0'],
      },
    },
  ],
}
