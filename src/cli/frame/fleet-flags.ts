import { liveFlags } from './live-flags.ts'
import type { FlagSet } from './flag.ts'

/** What a command that reads a whole fleet may be told about it. */
export const fleetLiveFlags = {
  fleet: {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: 'The fleet file: lanes, node pools, owners, thresholds; what it leaves out is taken from the cluster',
  },
  'github-runners-json': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "GitHub's list of runners as somebody saved it, where GitHub may not be asked; its age is checked",
  },
  'gitlab-config': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "The GitLab Runner's config.toml",
  },
  'gitlab-runners-json': {
    kind: 'option',
    value: 'FILE',
    completes: 'file',
    summary: "GitLab's list of the runners of a group as somebody saved it; GitLab is never asked",
  },
  repo: liveFlags.repo,
  'log-bytes': liveFlags['log-bytes'],
} as const satisfies FlagSet
