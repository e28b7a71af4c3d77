import type { Signature } from '#/core/evidence/signature.ts'

export const oomInvoked: Signature = {
  id: 'oom-invoked',
  says: 'An allocation invoked the OOM killer.',
  patterns: [
    {
      streams: ['kernel'],
      regex: /(?<invoker>\S{1,256}) invoked oom-killer: gfp_mask=/,
      literals: [' invoked oom-killer: gfp_mask='],
      strength: 'strong',
      caution: 'The invoker is not the victim.',
      examples: {
        matches: ['containerd invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-999'],
        rejects: ['containerd.service: Main process exited, code=killed, status=9/KILL'],
      },
    },
  ],
}
